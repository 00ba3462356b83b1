import ArgumentParser
import Ledger

struct UnlinkCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlink",
        abstract: "Remove a link; the appAccountToken applies again, if there is one.")

    @Argument(help: "An originalTransactionId or any transactionId.")
    var chain: String

    @Argument(help: "The customer it is linked to.")
    var customer: String

    @OptionGroup var order: CommandOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        try await settings.append(.unlink(CustomerId(stated: customer)), about: chain, order)
    }
}
