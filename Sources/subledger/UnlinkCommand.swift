import ArgumentParser
import Ledger

struct UnlinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlink",
        abstract: "Remove a link; the appAccountToken applies again, if there is one.")

    @Argument(help: "An originalTransactionId or any transactionId.")
    var chain: String

    @Argument(help: "The customer it is linked to.")
    var customer: String

    @OptionGroup var order: CommandOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await CommandRun(common: common).run(
            .unlink(CustomerId(stated: customer)), about: chain, order.order)
    }
}
