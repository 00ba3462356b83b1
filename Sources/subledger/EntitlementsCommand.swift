import ArgumentParser
import Ledger
import LedgerService

struct EntitlementsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "entitlements",
        abstract: "What a customer has, and the events that decide it.",
        discussion: "A customer never seen has nothing and is new: no failure.")

    @Argument(help: "The customer: an appAccountToken, or what `link` and `grant` were told.")
    var customer: String

    @OptionGroup var moment: MomentOptions
    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            let settings = try Settings(common)
            let moment = try moment.moment()
            let session = try await settings.openSession()
            let answer = try await session.customers.entitlements(
                of: CustomerId(stated: customer), moment: moment)
            if common.json {
                try Console.out { answer.write(to: &$0) }
            } else {
                try Console.out(answer.text())
            }
            await session.close()
        }
    }
}
