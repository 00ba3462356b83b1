import AppStore
import Ledger

/// A plain implementation of the precedence of ranks for purchases stated only by a lower one
/// (`Lifecycle.md` §7).
struct PlainRanks {
    let reading: PlainReading

    typealias Period = PlainReading.Period

    /// The periods that do not count.
    ///
    /// - Parameter isWhole: whether one of a rank sets all of it aside.
    func aside(isWhole: Bool) -> [Period] {
        var aside: [Period] = []
        for rank in Trust.allCases.sorted(by: >) {
            let own = reading.periods.filter { $0.best.fact.trust == rank }
            let counted = reading.periods.filter { other in
                other.best.fact.trust > rank && !aside.contains { $0.id == other.id }
            }
            let higher = PlainReading.inOrder(counted).filter { !$0.isReplaced }
            let found = own.filter { isSetAside($0, higher) }
            aside += isWhole && !found.isEmpty ? own : found
        }
        return aside
    }

    private func isSetAside(_ period: Period, _ higher: [Period]) -> Bool {
        let trusted = reading.facts.filter { $0.trust > period.best.fact.trust }
        let origin = trusted.compactMap { $0.transaction?.originalPurchaseDate }.min()
        if let origin, period.start.milliseconds < origin.milliseconds - 60_000 { return true }
        guard let index = higher.lastIndex(where: { $0.start <= period.start }) else {
            let limit = higher.first.map { min($0.start, period.end) } ?? period.end
            return trusted.contains { fact in
                fact.signedDate! >= period.start && fact.signedDate! < limit && isEnd(fact)
            }
        }
        let next = index + 1 < higher.count ? higher[index + 1] : nil
        let known = higher[index]
        let span = known.spans.first { span in
            span.from <= period.start && (span.to.map { period.start < $0 } ?? true)
        }
        let isRunning = period.start < known.end && span == nil
        if isRunning, isExcluded(period, by: known, next) { return true }
        let said = trusted.filter { fact in
            fact.signedDate! >= period.start && (next.map { fact.signedDate! < $0.start } ?? true)
        }
        if !isRunning || period.end > known.end,
            said.contains(where: { denies($0, period, known) })
        {
            return true
        }
        let until = accessEnd(known, next, period.best.fact.trust)
        if isRunning, known.isUpgraded, until == known.end,
            period.best.fact.trust > .secret
        {
            return false
        }
        if let span {
            guard let end = span.to, end < until else { return false }
        }
        return period.start < until && shortens(period, until)
    }

    /// Whether a statement about a time without a known period says that access is over.
    private func isEnd(_ fact: Fact) -> Bool {
        if let status = fact.status?.value { return status != .active }
        switch fact.cause.notificationType?.value {
        case .expired, .didFailToRenew, .gracePeriodExpired: return true
        default: return false
        }
    }

    /// Whether what is known of a running period excludes a purchase in it.
    private func isExcluded(_ period: Period, by known: Period, _ next: Period?) -> Bool {
        if seconds(known.start) == seconds(period.start) { return true }
        let isDenied = known.statements.contains { statement in
            guard statement.signedDate > period.start else { return false }
            return statement.transaction.revocationDate.map { $0 > period.start }
                ?? !statement.transaction.isUpgraded
        }
        if isDenied { return true }
        let isUpgraded = known.isUpgraded
        let isReplaced = next.map { $0.start < known.end } ?? false
        if let next, next.firstStated > period.start,
            seconds(next.start) == seconds(known.end) || isReplaced && isUpgraded
        {
            return true
        }
        let product = period.best.transaction.productId
        return !(isUpgraded && !isReplaced) && product != nil
            && product == known.best.transaction.productId
    }

    /// The end of a period, or of the grace of a higher rank than `rank` after it.
    private func accessEnd(_ known: Period, _ next: Period?, _ rank: Trust) -> Timestamp {
        if let next, next.start <= known.end { return next.start }
        let window = reading.evidence(known, before: next?.start)
        let failing = window.filter { reading.word($0, known) == .failing }
        guard let trust = window.first?.trust, trust > rank, !failing.isEmpty else {
            return known.end
        }
        let exit = reading.exit(known, next, window, failing, false)
        let limit = next.map { min(exit, $0.start) } ?? exit
        return max(known.end, min(reading.graceEnd(known, window, failing), limit))
    }

    private func denies(_ fact: Fact, _ period: Period, _ known: Period) -> Bool {
        if isBeforeRecovery(fact, period, known) { return false }
        let word = reading.word(fact, known)
        if let status = fact.status?.value, status != .active || word == .nothing {
            return status != .active
        }
        let type = fact.cause.notificationType?.value
        let mayDeny =
            fact.status != nil || fact.renewal != nil || type == .expired
            || type == .didFailToRenew || type == .gracePeriodExpired
        guard mayDeny else { return false }
        if word != .nothing { return true }
        guard period.start >= known.end, let renewal = fact.renewal else { return false }
        if let bought = fact.transaction?.purchaseDate, bought > period.start { return false }
        if let date = renewal.renewalDate {
            return date <= period.start || period.end.milliseconds > date.milliseconds + 1_000
        }
        switch type {
        case .refund, .refundDeclined, .refundReversed, .consumptionRequest, .revoke: return false
        default: return true
        }
    }

    /// Stated in grace, and paid for afterwards, which keeps the anchor.
    private func isBeforeRecovery(_ fact: Fact, _ period: Period, _ known: Period) -> Bool {
        guard period.start == known.end, let date = fact.renewal?.gracePeriodExpiresDate,
            let said = fact.signedDate, date > known.end, date > said, said < period.firstStated
        else { return false }
        if fact.cause.notificationType?.value == .gracePeriodExpired { return false }
        if reading.signedWord(fact, known) == nil, let status = fact.status?.value,
            status != .active, status != .billingGracePeriod
        {
            return false
        }
        return reading.word(fact, known) == .failing
    }

    private func shortens(_ period: Period, _ until: Timestamp) -> Bool {
        until.milliseconds - period.end.milliseconds >= 1_000
            || period.ownSpans.contains { $0.from < until }
    }

    private func seconds(_ time: Timestamp) -> Int64 { time.milliseconds / 1_000 }
}
