import ArgumentParser
import Ledger
import Projection
import Queries

struct EntitlementsCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "entitlements",
        abstract: "A customer's entitlements, and the events behind them.",
        discussion: "An unknown customer is new and has no entitlements; that is not an error.")

    @Argument(help: "The customer: an appAccountToken, or the id given to `link` and `grant`.")
    var customer: String

    @OptionGroup var moment: MomentOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        let moment = try moment.moment()
        let answer = try await settings.withSession { session in
            let answer = try await session.snapshot.entitlements(
                of: CustomerId(stated: customer), moment: moment)
            if answer.entitlements.standing == .new, answer.entitlements.verdicts.isEmpty {
                await hint(session, settings)
            }
            return answer
        }
        return Output(json: { answer.write(to: &$0) }, text: answer.text())
    }

    /// Adds a hint where the id is that of a subscription, not of a customer.
    private func hint(_ session: LedgerSession, _ settings: Settings) async {
        guard
            let chain = try? await session.snapshot.chain(customer, bundleId: settings.bundleId)
        else { return }
        Terminal.note(
            "\(customer) is a transaction id of \(chain.bundleId), not a customer: see `subledger"
                + " show \(customer)`; `subledger timeline \(customer)` shows its customer.")
    }
}
