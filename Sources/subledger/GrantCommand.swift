import AppStore
import ArgumentParser
import Ledger

struct GrantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant", abstract: "Give a customer an entitlement until a date.")

    @Argument(help: "The customer.")
    var customer: String

    @Argument(help: "The entitlement.")
    var entitlement: String

    @Option(help: "When it ends: RFC 3339, a day (midnight UTC) or epoch milliseconds.")
    var until: String

    @OptionGroup var order: CommandOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            guard let until = Timestamp(userInput: until) else {
                throw CommandFailure(
                    code: "invalidTime",
                    message: "--until takes RFC 3339 (2026-01-31T23:59:59.000Z), a day, or epoch"
                        + " milliseconds.", exit: .usage)
            }
            let customer = CustomerId(stated: customer)
            try await CommandRun(common: common).run(
                .grant(customer, entitlement: entitlement, until: until), about: nil, order.order)
        }
    }
}
