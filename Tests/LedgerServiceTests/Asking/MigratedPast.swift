import AppStore
import Ledger
import LedgerService
import LedgerStore
import Simulator

/// The whole past of migrated customers, as the ledger tells it, beside the simulator's truth.
struct MigratedPast {
    let told: OriginalStoreKit
    let ids: [String]
    /// Customers of whom a renewal was extended at some time.
    let extended: Set<String>
    let catalogue: Catalogue

    /// Why the past may be told otherwise than it was. Each is something that neither version 1, nor
    /// an answer of verifyReceipt, nor what the API tells long after has words for.
    enum Excuse: String {
        /// Both give access; that the payment was late only a lower rank tells, or nobody.
        case graceOfKeptAnchor
        /// Of one with another, in the same access: what came before is told otherwise.
        case label
        /// Nobody tells of a refund that was taken back: only the time in between is lost.
        case refundTakenBack
        /// An extension that Apple no longer tells of: until then the transaction's own end holds.
        case extended
        /// Grace that nobody dated, or told only by a lower rank while a higher one spoke.
        case untoldGrace
        /// No access either way: how long Apple tried.
        case retry
        /// Version 1 has no EXPIRED: grace and retry are told as long as they could have lasted.
        case untoldEnd
    }

    struct Differences {
        var counts: [Excuse: Int] = [:]
        /// Without an excuse.
        var wrong: [String] = []
        var comparedCount = 0
    }

    func differences(_ place: TemporaryLedger) async throws -> Differences {
        let chains = ids.map {
            ChainId(bundleId: AskedApple.app, originalTransactionId: OriginalTransactionId($0))
        }
        let facts = try await place.session { try await $0.ledger.facts.facts(of: chains) }
        var differences = Differences()
        for (chain, facts) in facts {
            compare(
                chain.originalTransactionId.rawValue,
                Lifecycle(facts, environment: .production, catalogue: catalogue),
                MigratedPast.lines(facts), &differences)
        }
        return differences
    }

    /// What one purchase and its restored copies share. Of copies that are stated alike long after,
    /// `lifecycle.md` §2 rule 2 names the one of the larger digest, and the truth the one told last.
    private static func lines(_ facts: [Fact]) -> [TransactionId: WebOrderLineItemId] {
        var lines: [TransactionId: WebOrderLineItemId] = [:]
        for fact in facts {
            guard let stated = fact.transaction, let line = stated.webOrderLineItemId else {
                continue
            }
            lines[stated.transactionId] = line
        }
        return lines
    }

    /// Every stretch between two moments at which either side changes, until now.
    private func compare(
        _ id: String, _ life: Lifecycle, _ lines: [TransactionId: WebOrderLineItemId],
        _ differences: inout Differences
    ) {
        var truth: [TrueInterval] = []
        var moment = AskedApple.now
        while let interval = told.truth(of: id, at: moment) {
            truth.insert(interval, at: 0)
            moment = interval.from.advanced(byMilliseconds: -1)
        }
        let moments = Set(truth.map(\.from) + life.intervals.map(\.from)).sorted()
            .filter { $0 <= AskedApple.now }
        for moment in moments {
            differences.comparedCount += 1
            let place = truth.lastIndex { $0.from <= moment }
            let said = life.intervals.last { $0.from <= moment }
            guard place.map({ truth[$0].state.rawValue }) != said?.state.rawValue else { continue }
            guard let place, let said,
                let excuse = excuse(
                    truth[place], after: place > 0 ? truth[place - 1] : nil, said, id, lines)
            else {
                let so = place.map { truth[$0].state.rawValue } ?? "nothing"
                differences.wrong.append(
                    "\(id), \(moment.rfc3339): \(said?.state.rawValue ?? "nothing") for \(so)")
                continue
            }
            differences.counts[excuse, default: 0] += 1
        }
    }

    private func excuse(
        _ truth: TrueInterval, after before: TrueInterval?, _ said: Interval, _ id: String,
        _ lines: [TransactionId: WebOrderLineItemId]
    ) -> Excuse? {
        let line = lines[said.transactionId]
        let isOfPeriod =
            said.transactionId == truth.transactionId
            || (line != nil && line == lines[truth.transactionId])
        switch (truth.state, said.state) {
        case (.revoked, _): return truth.to == nil ? nil : .refundTakenBack
        case (.grace, .renewing): return .graceOfKeptAnchor
        case (.subscribed, .renewing), (.renewing, .subscribed): return .label
        case (.grace, .billingRetry), (.grace, .expired): return isOfPeriod ? .untoldGrace : nil
        case (.billingRetry, .expired), (.expired, .billingRetry): return .retry
        case (.expired, .grace): return before?.state == .grace && isOfPeriod ? .untoldEnd : nil
        case (.subscribed, .expired), (.renewing, .expired):
            return extended.contains(id) && isOfPeriod ? .extended : nil
        default: return nil
        }
    }
}
