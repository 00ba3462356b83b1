import AppStore
import ArgumentParser
import Ledger
import LedgerStore
import Projection
import Queries

struct RetentionOffersCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "retention-offers",
        abstract: "Retention messages that were shown, and what became of the subscriptions.")

    @Option(help: "Answered from then on.")
    var from: String

    @Option(help: "Answered before then (default: now).")
    var to: String?

    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        let now = Terminal.now
        let start = try MomentOptions.time(from, "--from")
        let end = try to.map { text throws(CommandFailure) in
            try MomentOptions.time(text, "--to")
        }
        let offers = try await settings.withSession { session in
            try await session.snapshot.retentionOffers(
                from: start, to: end ?? now, now: now, bundleId: settings.bundleId)
        }
        return Output(json: { offers.write(to: &$0) }, text: offers.text)
    }
}

extension RetentionOffers {
    /// A table by rule, and the requests without a message.
    fileprivate var text: String {
        let results = RetentionResult.allCases
        let lines = rows.map { row in
            [row.rule, row.message, row.promotionalOffer ?? "–", "\(row.shown)"]
                + results.map { "\(row.count($0))" }
        }
        let table = TextTable(
            header: ["rule", "message", "offer", "shown"] + results.map(\.rawValue), rows: lines)
        let reasons = RetentionOffers.reasons.map { "\(unanswered[$0] ?? 0) \($0.rawValue)" }
        return table.aligned(leading: 3) + "without a message: \(reasons.joined(separator: ", "))\n"
    }
}
