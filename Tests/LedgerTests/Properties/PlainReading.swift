import AppStore
import Ledger

/// A plain implementation of `Lifecycle.md` §2, for one moment at a time and without optimisation:
/// the reference for the reducer. For auto-renewable chains whose facts can all be folded.
struct PlainReading {
    struct Snapshot {
        let fact: Fact
        let transaction: TransactionSnapshot
        let signedDate: Timestamp

        /// An upgrade is none.
        var revocation: Timestamp? {
            transaction.isUpgraded ? nil : transaction.revocationDate
        }
    }

    struct Period {
        var id: TransactionId
        var best: Snapshot
        var start: Timestamp
        var end: Timestamp
        /// As stated: it may precede the start.
        var statedEnd: Timestamp
        var spans: [Span]
        /// As each copy alone states them.
        var ownSpans: [Span]
        var firstStated: Timestamp
        var countsFrom: Timestamp
        /// Whether it is of any copy.
        var isUpgraded: Bool
        var isReplaced = false
        /// Every statement, of the highest rank, and every transactionId.
        var statements: [Snapshot]
        var ids: [TransactionId]
    }

    /// - `last`: when it was last stated.
    typealias Span = (from: Timestamp, to: Timestamp?, isRefund: Bool, last: Timestamp)

    private(set) var facts: [Fact]
    let environment: Environment
    private(set) var periods: [Period] = []

    /// Rule 1: dated facts by (signedDate, digest).
    init(_ facts: [Fact], environment: Environment) {
        self.environment = environment
        self.facts = facts.filter { $0.signedDate != nil && $0.flaw == nil }.sorted { left, right in
            left.signedDate! == right.signedDate!
                ? left.digest < right.digest : left.signedDate! < right.signedDate!
        }
        periods = purchases()
        setLowerRanksAside()
        for index in periods.indices.dropLast() {
            guard let until = keptAnchor(index) else { continue }
            periods[index + 1].countsFrom = until
        }
        for (index, period) in periods.enumerated() where isFirstOfRank(index) {
            let isEarly = period.firstStated < period.start
            guard isEarly, period.best.transaction.transactionReason?.value == .renewal else {
                continue
            }
            let start = lowerEnd(index) ?? period.firstStated
            if period.isReplaced, start >= period.countsFrom { continue }
            periods[index].countsFrom = start
            periods[index].isReplaced = false
        }
        endCopies()
    }

    /// Rule 6: the revocation of a copy before its renewal counts ends the copy that runs then.
    private mutating func endCopies() {
        for index in periods.indices.dropFirst() {
            let new = periods[index]
            let before = (0..<index).last { !periods[$0].isReplaced }
            guard let before, new.best.fact.trust >= periods[before].best.fact.trust
            else { continue }
            let old = periods[before]
            periods[before].spans += new.spans.filter { span in
                !span.isRefund && span.from < new.countsFrom && span.from >= old.countsFrom
                    && span.from < old.end
            }
        }
    }

    private func isFirstOfRank(_ index: Int) -> Bool {
        periods[..<index].allSatisfy { $0.best.fact.trust < periods[index].best.fact.trust }
    }

    /// Until when the period before gives access that lasts from the first statement of one on; nil
    /// if it gives none.
    private func lowerEnd(_ index: Int) -> Timestamp? {
        guard let last = (0..<index).last(where: { !periods[$0].isReplaced }) else { return nil }
        let (before, period) = (periods[last], periods[index])
        let end = min(before.end, period.start)
        let isHeld =
            before.countsFrom <= period.firstStated && period.firstStated < end
            && before.spans.allSatisfy { span in
                end <= span.from
                    || span.to.map { $0 <= max(span.from, period.firstStated) } ?? false
            }
        return isHeld ? end : nil
    }

    /// Rule 4's order, with what was replaced before it began before its replacements.
    static func inOrder(_ periods: [Period]) -> [Period] {
        let sorted = periods.sorted(by: precedes)
        var ordered: [Period] = []
        for period in sorted {
            var placed = period
            placed.countsFrom = period.start
            let governing = ordered.last { other in
                !other.isReplaced && other.best.fact.trust >= period.best.fact.trust
            }
            let isRevoked =
                governing.map { PlainReading.isRevoked($0, at: period.start) } ?? false
            let place = ordered.firstIndex { isReplaced(period, by: $0, isRevoked) }
            placed.isReplaced = place != nil
            if let place { placed.countsFrom = ordered[place].countsFrom }
            ordered.insert(placed, at: place ?? ordered.count)
        }
        return ordered
    }

    private static func isRevoked(_ period: Period, at time: Timestamp) -> Bool {
        period.spans.contains { span in
            span.from <= time && (span.to.map { time < $0 } ?? true)
        }
    }

    /// - Parameter isRevoked: whether the purchase that governs at the period's start is revoked
    ///   then.
    private static func isReplaced(
        _ period: Period, by other: Period, _ isRevoked: Bool
    ) -> Bool {
        let (best, bought) = (period.best, other.start)
        let isBefore = bought < period.start && bought.milliseconds >= opening(period, period.start)
        let isRunning = isBefore && period.start < other.end && !other.isReplaced
        guard isRunning, other.best.fact.trust >= best.fact.trust,
            best.transaction.transactionReason?.value != .purchase
        else { return false }
        for statement in period.statements {
            if let date = statement.transaction.revocationDate, date < period.start { return true }
            if statement.transaction.isUpgraded, statement.signedDate < period.start { return true }
        }
        let isUpgraded =
            best.transaction.transactionReason?.value == .renewal
            && period.statements.contains { $0.transaction.isUpgraded }
        if period.firstStated >= bought, isRevoked || !isUpgraded { return false }
        return !period.statements.contains { statement in
            if statement.signedDate < period.start || statement.transaction.isUpgraded {
                return false
            }
            if isRevoked, statement.transaction.revocationDate == nil { return true }
            switch statement.fact.cause.notificationType?.value {
            case .refund, .refundDeclined, .refundReversed, .consumptionRequest, .revoke:
                return false
            default: break
            }
            return statement.fact.cause.notificationType != nil || statement.fact.status != nil
        }
    }

    /// Rule 4's order by dates.
    private static func precedes(_ left: Period, _ right: Period) -> Bool {
        if left.start != right.start { return left.start < right.start }
        if left.isUpgraded != right.isUpgraded { return left.isUpgraded }
        let (first, second) = (left.id.rawValue, right.id.rawValue)
        return (first.utf8.count, first) < (second.utf8.count, second)
    }

    /// Removes the periods that a higher rank excludes, and their snapshots, as if they had never
    /// been stated.
    private mutating func setLowerRanksAside() {
        for time in 1... {
            let ids = PlainRanks(reading: self).aside(isWhole: time > 10).flatMap(\.ids)
            guard !ids.isEmpty else { break }
            facts = facts.map { fact in
                fact.with { fact in
                    if let id = fact.transaction?.transactionId, ids.contains(id) {
                        fact.transaction = nil
                    }
                }
            }
            periods = purchases()
        }
        periods = PlainReading.inOrder(periods)
    }

    // MARK: Rules 2 to 4

    /// Every purchase, without copies of unknown ones.
    private func purchases() -> [Period] {
        let all = PlainReading.grouped(transactions())
        return all.filter { period in
            let isAnnounced = period.statements.contains { statement in
                switch statement.fact.cause.notificationType?.value {
                case .subscribed, .didRenew: !statement.fact.cause.kind.mayNameSeveralChains
                default: false
                }
            }
            let original = period.best.transaction.originalTransactionId.rawValue
            let isFirst = period.ids.contains { $0.rawValue == original }
            if period.start < period.statedEnd || isAnnounced || isFirst { return true }
            return all.allSatisfy { other in
                other.statedEnd <= other.start || other.statedEnd < period.statedEnd
                    || period.start < other.start
            }
        }
    }

    private func transactions() -> [Period] {
        var snapshots: [TransactionId: [Snapshot]] = [:]
        for fact in facts {
            guard let transaction = fact.transaction else { continue }
            snapshots[transaction.transactionId, default: []].append(
                Snapshot(
                    fact: fact, transaction: transaction,
                    signedDate: transaction.signedDate ?? fact.signedDate!))
        }
        return snapshots.values.compactMap { all in
            let trust = all.map(\.fact.trust).max()!
            let ranked = all.filter { $0.fact.trust == trust }.sorted(by: PlainReading.isWorse)
            let best = ranked.last!
            guard best.transaction.type?.value == .autoRenewableSubscription else { return nil }
            let ends = ranked.flatMap { snapshot in
                let isExtension = snapshot.fact.cause.notificationType?.value == .renewalExtended
                return [
                    snapshot.transaction.expiresDate,
                    isExtension ? snapshot.fact.renewal?.renewalDate : nil,
                ]
            }
            let start = best.transaction.purchaseDate!
            let spans = PlainReading.spans(ranked)
            let end = ends.compactMap { $0 }.max() ?? start
            return Period(
                id: best.transaction.transactionId, best: best, start: start, end: end,
                statedEnd: end, spans: spans, ownSpans: spans,
                firstStated: ranked.map(\.signedDate).min()!, countsFrom: start,
                isUpgraded: best.transaction.isUpgraded, statements: ranked,
                ids: [best.transaction.transactionId])
        }
    }

    static func isWorse(_ left: Snapshot, _ right: Snapshot) -> Bool {
        if left.signedDate != right.signedDate { return left.signedDate < right.signedDate }
        let (one, two) = (left.transaction, right.transaction)
        if (one.revocationDate == nil) != (two.revocationDate == nil) {
            return one.revocationDate == nil
        }
        if one.expiresDate != two.expiresDate {
            return (one.expiresDate?.milliseconds ?? .min) < (two.expiresDate?.milliseconds ?? .min)
        }
        return left.fact.digest < right.fact.digest
    }

    private static func spans(_ ranked: [Snapshot]) -> [Span] {
        var spans: [Span] = []
        var (open, last) = (nil as Timestamp?, Timestamp(milliseconds: 0))
        func close(_ to: Timestamp?) {
            // One that is reversed before it begins leaves nothing revoked.
            guard let from = open, to.map({ from < $0 }) ?? true else { return }
            let isRefund = !ranked.contains { snapshot in
                snapshot.transaction.revocationDate == from && isOfCopy(snapshot)
            }
            spans.append((from, to, isRefund, last))
        }
        for snapshot in ranked {
            let stated = snapshot.revocation
            if stated == nil { close(snapshot.signedDate) }
            (open, last) = (stated, snapshot.signedDate)
        }
        close(nil)
        return spans
    }

    /// Rule 3: whether a statement makes its revocation the end of a copy.
    private static func isOfCopy(_ snapshot: Snapshot) -> Bool {
        let transaction = snapshot.transaction
        if snapshot.fact.cause.notificationType?.value == .revoke { return true }
        switch transaction.revocationType?.value {
        case .familyRevoke, .assignmentRevoke: return true
        default: break
        }
        switch transaction.inAppOwnershipType?.value {
        case .familyShared, .assigned: return true
        default: return false
        }
    }
}
