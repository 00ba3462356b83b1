import ArgumentParser
import Ledger

struct UngrantCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "ungrant", abstract: "Withdraw a grant.")

    @Argument(help: "The customer.")
    var customer: String

    @Argument(help: "The grant's id, as `grant` printed it.")
    var grant: String

    @OptionGroup var order: CommandOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        try await settings.append(
            .ungrant(CustomerId(stated: customer), grant: grant), about: nil, order)
    }
}
