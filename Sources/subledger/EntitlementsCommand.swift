import ArgumentParser
import Ledger
import Projection
import Queries

struct EntitlementsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "entitlements",
        abstract: "A customer's entitlements, and the events behind them.",
        discussion: "An unknown customer is new and has no entitlements; that is not an error.")

    @Argument(help: "The customer: an appAccountToken, or the id given to `link` and `grant`.")
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
            if answer.entitlements.standing == .new, answer.entitlements.verdicts.isEmpty {
                await hint(session, settings)
            }
            await session.close()
        }
    }

    /// Adds a hint where the id is that of a subscription, not of a customer.
    private func hint(_ session: LedgerSession, _ settings: Settings) async {
        let chain: ChainId
        do throws(QueryError) {
            chain = try await session.query.chain(customer, bundleId: settings.bundleId)
        } catch { return }
        Console.note(
            "\(customer) is a transaction id of \(chain.bundleId), not a customer: see `subledger"
                + " show \(customer)`; `subledger timeline \(customer)` shows its customer.")
    }
}
