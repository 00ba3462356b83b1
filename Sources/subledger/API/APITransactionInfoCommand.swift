import AppStore
import AppStoreAPI
import ArgumentParser

struct APITransactionInfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transaction-info",
        abstract: "One transaction in its current state.")

    @Argument(help: "A transactionId.")
    var id: String

    @OptionGroup var access: APIOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await APIRun(common: common, access: access).run(.transactionInfo) {
            (client, choice, answers) async throws(APIFailure) in
            answers.add(try await client.transactionInfo(id, in: choice))
        }
    }
}
