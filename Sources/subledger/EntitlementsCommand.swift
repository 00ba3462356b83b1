import ArgumentParser
import Ledger
import Projection
import Queries

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
            if answer.entitlements.standing == .new, answer.entitlements.verdicts.isEmpty {
                await hint(session, settings)
            }
            await session.close()
        }
    }

    /// Says so where the id is no customer's but that of a subscription.
    private func hint(_ session: LedgerSession, _ settings: Settings) async {
        let chain: ChainId
        do throws(QueryError) {
            chain = try await session.query.chain(customer, bundleId: settings.bundleId)
        } catch { return }
        Console.note(
            "\(customer) is a transaction id of \(chain.bundleId), not a customer: see `subledger"
                + " show \(customer)`; `subledger timeline \(customer)` tells whose it is.")
    }
}
