import ArgumentParser
import Ledger

struct NoteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "note",
        abstract: "Keep words about a subscription or a customer (--reason) in the timeline.")

    @Argument(help: "An originalTransactionId or any transactionId.")
    var chain: String?

    @Option(help: "The customer it is about, instead of a chain.")
    var customer: String?

    @OptionGroup var order: OrderOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            guard (chain == nil) != (customer == nil) else {
                throw CommandFailure(
                    code: "usage", message: "Name a chain or --customer, one of them.",
                    exit: .usage)
            }
            try await CommandRun(common: common).run(
                .note(customer.map { CustomerId(stated: $0) }), about: chain, order.order)
        }
    }
}
