import AppStore
import AppStoreAPI
import ArgumentParser

struct APIAppTransactionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app-transaction",
        abstract: "The customer's purchase or download of the app.")

    @Argument(help: "Any id of the customer.")
    var id: String

    @OptionGroup var access: APIOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await APIRun(common: common, access: access).run(.appTransactionInfo) {
            (client, choice, answers) async throws(APIFailure) in
            answers.add(try await client.appTransactionInfo(id, in: choice))
        }
    }
}
