import ArgumentParser
import Ledger

struct LinkCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Assign a subscription to a customer; overrides its appAccountToken.",
        discussion: """
            The first link of a chain holds from the chain's start, a later one from now on. A \
            chain belongs to one customer at a time.
            """)

    @Argument(help: "An originalTransactionId or any transactionId.")
    var chain: String

    @Argument(help: "The app's id of the customer.")
    var customer: String

    @OptionGroup var order: CommandOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        try await settings.append(.link(CustomerId(stated: customer)), about: chain, order)
    }
}
