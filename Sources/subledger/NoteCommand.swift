import ArgumentParser
import Ledger

struct NoteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "note",
        abstract: "Add a note (--reason) to the timeline of a subscription or a customer.")

    @Argument(help: "An originalTransactionId or any transactionId.")
    var chain: String?

    @Option(help: "A customer, instead of a chain.")
    var customer: String?

    @OptionGroup var order: CommandOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            guard (chain == nil) != (customer == nil) else {
                throw CommandFailure(
                    code: "usage", message: "Name either a chain or --customer.",
                    exit: .usage)
            }
            try await CommandRun(common: common).run(
                .note(customer.map { CustomerId(stated: $0) }), about: chain, order.order)
        }
    }
}
