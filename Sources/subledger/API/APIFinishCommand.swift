import AppStore
import AppStoreAPI
import ArgumentParser

struct APIFinishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "finish",
        abstract: "Mark a transaction as finished.")

    @Argument(help: "A transactionId.")
    var id: String

    @OptionGroup var consent: APIOptions.Consent
    @OptionGroup var access: APIOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            try consent.require("mark transaction \(id) as finished")
        }
        try await APIRun(common: common, access: access).run(.finishTransaction) {
            (client, choice, answers) async throws(APIFailure) in
            answers.add(
                try await client.finishTransaction(TransactionId(id), in: choice))
        }
    }
}
