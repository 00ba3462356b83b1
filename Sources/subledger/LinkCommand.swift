import ArgumentParser
import Ledger

struct LinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Say whose a subscription is; beats its appAccountToken.",
        discussion: """
            The first link of a chain holds from the chain's start, a later one from now on: then \
            nobody else has it any more.
            """)

    @Argument(help: "An originalTransactionId or any transactionId.")
    var chain: String

    @Argument(help: "The customer, as the app calls them.")
    var customer: String

    @OptionGroup var order: OrderOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await CommandRun(common: common).run(
            .link(CustomerId(stated: customer)), about: chain, order.order)
    }
}
