import AppStore
import ArgumentParser
import Ledger

struct GrantCommand: OutputCommand {
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

    func output(_ settings: Settings) async throws -> Output {
        let until = try MomentOptions.time(until, "--until")
        return try await settings.append(
            .grant(CustomerId(stated: customer), entitlement: entitlement, until: until),
            about: nil, order)
    }
}
