import AppStore
import AppStoreAPI
import ArgumentParser

struct APIRefundsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refunds",
        abstract: "Every refunded transaction of the customer.")

    @Argument(help: "Any id of the customer.")
    var id: String

    @Option(help: "Most pages to fetch, of 20 each.")
    var pages = 50

    @OptionGroup var access: APIOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await APIRun(common: common, access: access).run(.refundHistory) {
            (client, choice, answers) async throws(APIFailure) in
            try await answers.add(client.refundHistoryPages(id, in: choice), limit: max(1, pages))
        }
    }
}
