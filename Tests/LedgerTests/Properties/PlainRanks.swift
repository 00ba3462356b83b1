import AppStore
import Ledger

/// A plain implementation of the precedence of ranks for purchases stated only by a lower one
/// (`Lifecycle.md` §7).
struct PlainRanks {
    let reading: PlainReading

    typealias Period = PlainReading.Period

    /// The periods that do not count.
    func aside() -> [Period] {
        var aside: [Period] = []
        for rank in Trust.allCases.sorted(by: >) {
            for period in reading.periods where period.best.fact.trust == rank {
                let higher = reading.periods.filter { other in
                    other.best.fact.trust > rank && !aside.contains { $0.id == other.id }
                }
                if isSetAside(period, higher) { aside.append(period) }
            }
        }
        return aside
    }

    private func isSetAside(_ period: Period, _ higher: [Period]) -> Bool {
        let trusted = reading.facts.filter { $0.trust > period.best.fact.trust }
        let origin = trusted.compactMap { $0.transaction?.originalPurchaseDate }.min()
        if let origin, period.start.milliseconds < origin.milliseconds - 60_000 { return true }
        guard let index = higher.lastIndex(where: { $0.start <= period.start }) else {
            return false
        }
        let next = index + 1 < higher.count ? higher[index + 1] : nil
        let known = higher[index]
        let isRevoked = known.spans.contains { span in
            span.from <= period.start && (span.to.map { period.start < $0 } ?? true)
        }
        if period.start < known.end, !isRevoked {
            if seconds(known.start) == seconds(period.start) { return true }
            let isDenied = known.statements.contains { statement in
                statement.signedDate > period.start && !statement.transaction.isUpgraded
                    && (statement.transaction.revocationDate.map { $0 > period.start } ?? true)
            }
            if isDenied { return true }
            if let next, seconds(next.start) == seconds(known.end),
                next.firstStated > period.start
            {
                return true
            }
            let product = period.best.transaction.productId
            let isSame = product != nil && product == known.best.transaction.productId
            let until = next.map { min($0.start, known.end) } ?? known.end
            let isOpen = known.best.transaction.isUpgraded && until == known.end
            if isOpen, period.best.fact.trust > .secret { return false }
            return isSame && !isOpen || shortens(period, until)
        }
        let said = trusted.filter { fact in
            fact.signedDate! >= period.start && (next.map { fact.signedDate! < $0.start } ?? true)
        }
        if said.contains(where: { denies($0, period, known) }) { return true }
        if isRevoked {
            // What a reversal gave back later, and until when.
            let until = next.map { min($0.start, known.end) } ?? known.end
            let isGivenBack = known.spans.contains { span in
                guard let end = span.to else { return false }
                return span.from <= period.start && period.start < end && end < until
            }
            return isGivenBack && shortens(period, until)
        }
        return grace(known, next, period).map { shortens(period, $0) } ?? false
    }

    private func denies(_ fact: Fact, _ period: Period, _ known: Period) -> Bool {
        if isBeforeRecovery(fact, period, known) { return false }
        if let status = fact.status?.value { return status != .active }
        let type = fact.cause.notificationType?.value
        let mayDeny =
            fact.status != nil || fact.renewal != nil || type == .expired
            || type == .didFailToRenew || type == .gracePeriodExpired
        guard mayDeny else { return false }
        if reading.word(fact, known.end) != .nothing { return true }
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
        if let status = fact.status { return status.value == .billingGracePeriod }
        return reading.word(fact, known.end) == .failing
    }

    /// The end of a higher rank's grace in which the period begins.
    private func grace(_ known: Period, _ next: Period?, _ period: Period) -> Timestamp? {
        let window = reading.evidence(known, before: next?.start)
        guard let trust = window.first?.trust, trust > period.best.fact.trust else { return nil }
        let failing = window.filter { reading.word($0, known.end) == .failing }
        guard !failing.isEmpty else { return nil }
        let exit = reading.exit(known, next, window, failing, false)
        let limit = next.map { min(exit, $0.start) } ?? exit
        let until = min(reading.graceEnd(known, window, failing), limit)
        return period.start < until ? until : nil
    }

    private func shortens(_ period: Period, _ until: Timestamp) -> Bool {
        until.milliseconds - period.end.milliseconds >= 1_000
            || period.spans.contains { $0.from < until }
    }

    private func seconds(_ time: Timestamp) -> Int64 { time.milliseconds / 1_000 }
}
