import ArgumentParser
import Ledger

struct NoteCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "note",
        abstract: "Add a note (--reason) to the timeline of a subscription or a customer.")

    @Argument(help: "An originalTransactionId or any transactionId.")
    var chain: String?

    @Option(help: "A customer, instead of a chain.")
    var customer: String?

    @OptionGroup var order: CommandOptions
    @OptionGroup var common: SharedOptions

    func validate() throws {
        try requireOne(chain: chain, customer: customer)
    }

    func output(_ settings: Settings) async throws -> Output {
        try await settings.append(
            .note(customer.map { CustomerId(stated: $0) }), about: chain, order)
    }
}
