import AppStore

/// A purchase stated only by a lower rank and rejected, because a higher rank makes a statement
/// about its time (`Lifecycle.md` §7).
struct RejectedPurchase: Sendable {
    enum Reason: Sendable {
        /// A newer statement of a higher rank excludes it.
        case denied
        /// Not excluded, but it would end access earlier than a higher rank states, or repeats a
        /// running purchase; applies until then.
        case unconfirmed(until: Timestamp)
    }

    let period: Period
    let reason: Reason
    /// The higher-rank fact about its time.
    let ruling: Int

    /// The fact that first stated it.
    var reported: Int { period.firstFact }
}

/// A renewal snapshot, and the higher-rank one that it must not override, if any: the newest one
/// signed before it in the same period.
struct RankedRenewal: Sendable {
    let point: RenewalPoint
    let ruling: RenewalPoint?
}

/// Resolves the statements of several trust ranks about one chain: a period stated only by a lower
/// rank counts where no newer statement of a higher rank covers its time, and never removes access
/// that a higher rank gives; a lower-rank renewal info counts only in a period without an earlier
/// higher-rank one (`Lifecycle.md` §2 rule 2). A function of the set of facts; chains of one rank
/// are skipped.
struct TrustRanks: Sendable {
    /// Notifications that may concern an older purchase than the newest.
    static let ofAnyPurchase: Set<NotificationType?> = [
        .refund, .refundDeclined, .refundReversed, .consumptionRequest, .revoke,
    ]

    /// The passes after which one rejected purchase rejects all of its rank, so that invented ones
    /// do not decide how often a chain is read. Real ones need about one for each rank.
    static let maximumPasses = 2 * Trust.allCases.count

    /// The number of this pass, from 1.
    let pass: Int
    /// All facts; those of rejected purchases without their transaction.
    let counted: [Fact]
    let rejected: [RejectedPurchase]
    /// The account tokens of rejected purchases: their customers hold nothing, but were named.
    let rejectedTokens: [String]
    /// Every renewal snapshot, oldest first.
    let renewals: [RankedRenewal]

    /// - Parameters:
    ///   - all: every fact, completed; without the transactions that an earlier pass rejected.
    ///   - earlier: that pass.
    init(_ all: OrderedFacts, after earlier: TrustRanks?) {
        pass = (earlier?.pass ?? 0) + 1
        let records = TransactionRecord.records(of: all)
        let periods = Period.stated(records, all)
        var counted: [Period] = []
        var rejected: [RejectedPurchase] = []
        for rank in Set(records.map(\.best.trust)).sorted(by: >) {
            let higher = HigherStatements(rank, counted, records, all)
            let own = periods.filter { all[$0.bestFact].trust == rank }
            let verdicts = own.map(higher.judge)
            let ofAll = pass > TrustRanks.maximumPasses ? verdicts.compactMap(\.self).first : nil
            for (period, verdict) in zip(own, verdicts) {
                if let (reason, ruling) = verdict ?? ofAll {
                    rejected.append(
                        RejectedPurchase(period: period, reason: reason, ruling: ruling))
                } else {
                    counted.append(period)
                }
            }
            Period.order(&counted, records, all)
        }
        self.rejected = (earlier?.rejected ?? []) + rejected
        let ids = Set(rejected.flatMap { $0.period.records.map { records[$0].transactionId } })
        func isRejected(_ fact: Fact) -> Bool {
            fact.statedTransaction.map { ids.contains($0.transactionId) } ?? false
        }
        let tokens = all.facts.compactMap { fact in
            isRejected(fact) ? fact.statedTransaction?.appAccountToken : nil
        }
        rejectedTokens = (earlier?.rejectedTokens ?? []) + tokens
        self.counted = all.facts.map { fact in
            guard isRejected(fact) else { return fact }
            var rest = fact
            rest.transaction = nil
            return rest
        }
        renewals = TrustRanks.renewals(all, counted)
    }

    /// - Parameter periods: those that count, in order.
    private static func renewals(_ all: OrderedFacts, _ periods: [Period]) -> [RankedRenewal] {
        let points = all.allRenewals
        let top = points.map { all[$0.fact].trust }.max()
        return points.map { point in
            let trust = all[point.fact].trust
            guard trust != top else { return RankedRenewal(point: point, ruling: nil) }
            let start = periods.last { $0.start <= point.signedDate }?.start
            let ruling = points.last { other in
                guard all[other.fact].trust > trust, other.signedDate <= point.signedDate
                else { return false }
                // It may have been signed before the period began, with its purchase.
                let bought = all[other.fact].statedTransaction?.purchaseDate ?? other.signedDate
                return start.map { $0 <= max(other.signedDate, bought) } ?? true
            }
            return RankedRenewal(point: point, ruling: ruling)
        }
    }
}

/// The statements above one rank, against which that rank's own periods are judged.
private struct HigherStatements {
    typealias Verdict = (reason: RejectedPurchase.Reason, ruling: Int)

    let rank: Trust
    /// Periods of higher ranks that count, without those replaced before they began, in order.
    let higher: [Period]
    let records: [TransactionRecord]
    let facts: OrderedFacts
    /// Higher-rank facts about the time after a period, in order.
    let evidence: [Int]
    /// The chain's first purchase, and the higher-rank fact that dates it.
    let origin: (time: Timestamp, fact: Int)?
    /// A higher-rank fact stating that the chain does not renew.
    let oneTime: Int?

    init(
        _ rank: Trust, _ higher: [Period], _ records: [TransactionRecord], _ facts: OrderedFacts
    ) {
        self.rank = rank
        self.higher = higher.filter { !$0.isReplaced }
        self.records = records
        self.facts = facts
        let trusted = facts.indices.filter { facts[$0].trust > rank }
        evidence = trusted.filter { index in
            let fact = facts[index]
            return fact.status != nil || fact.statedRenewal != nil
                || HigherStatements.endings.contains(fact.cause.notificationType?.value)
        }
        origin = trusted.compactMap { index in
            facts[index].statedTransaction?.originalPurchaseDate.map { (time: $0, fact: index) }
        }.min { ($0.time, $0.fact) < ($1.time, $1.fact) }
        oneTime = trusted.first { index in
            facts[index].statedTransaction.map { !$0.isAutoRenewable } ?? false
        }
    }

    /// Notifications that state the status after a period, even without a status field.
    static let endings: Set<NotificationType?> = [.expired, .didFailToRenew, .gracePeriodExpired]

    /// Why a period does not count; nil if it does.
    func judge(_ period: Period) -> Verdict? {
        if let origin,
            period.start.milliseconds(since: origin.time)
                < -NoticeLimits.firstPeriodToleranceMilliseconds
        {
            return (.denied, origin.fact)
        }
        guard let index = higher.lastIndex(where: { $0.start <= period.start }) else {
            if higher.isEmpty, let oneTime { return (.denied, oneTime) }
            return end(before: higher.first, of: period).map { (.denied, $0) }
        }
        let next = index + 1 < higher.count ? higher[index + 1] : nil
        let governing = higher[index]
        let span = governing.revocation(at: period.start)
        let isRunning = period.start < governing.end && span == nil
        if isRunning, let verdict = judge(period, within: governing, next) { return verdict }
        if !isRunning || period.end > governing.end,
            let denying = denial(of: period, after: governing, until: next?.start)
        {
            return (.denied, denying)
        }
        // It must not end sooner what higher ranks give at its start, or gave back later.
        let access = accessEnd(of: governing, next)
        if isRunning, governing.isUpgraded, access.time == governing.end, rank > .secret {
            return nil
        }
        guard span.map({ $0.to.map { $0 < access.time } ?? false }) ?? true,
            period.start < access.time
        else { return nil }
        return shortens(period, access: access.time, ruling: access.fact)
    }

    /// Until when higher ranks give access from a period on: its end, or that of the grace after
    /// it.
    private func accessEnd(of period: Period, _ next: Period?) -> (time: Timestamp, fact: Int) {
        if let next, next.start <= period.end { return (next.start, period.bestFact) }
        let after = AfterPeriodRule(facts: facts, period: period, nextStart: next?.start).evaluate()
        guard let grace = after.segments.first(where: { $0.state == .grace }), let until = grace.to,
            facts[grace.cause].trust > rank
        else { return (period.end, period.bestFact) }
        return (until, grace.cause)
    }

    /// Without a higher-rank period before it: the first statement during a period that access was
    /// over.
    private func end(before next: Period?, of period: Period) -> Int? {
        evidence.first { index in
            let (time, fact) = (facts.times[index], facts[index])
            guard time >= period.start, time < min(period.end, next?.start ?? period.end) else {
                return false
            }
            if let status = fact.status?.value { return status != .active }
            return HigherStatements.endings.contains(fact.cause.notificationType?.value)
        }
    }

    /// Judges a period that begins within a running higher-rank one.
    private func judge(_ period: Period, within running: Period, _ next: Period?) -> Verdict? {
        if period.start.isSameSecond(as: running.start) { return (.denied, running.firstFact) }
        // A later statement of the running purchase, without an earlier upgrade or refund, excludes
        // a replacement.
        let denying = running.records.lazy.flatMap { records[$0].statements }.filter { statement in
            // An upgrade without a date may be the one to this period.
            let isDated = statement.revocationDate != nil
            return statement.signedDate > period.start
                && statement.revocationDate.map { $0 > period.start } ?? true
                && (isDated || facts[statement.fact].statedTransaction?.isUpgraded == false)
        }.min { ($0.signedDate, $0.fact) < ($1.signedDate, $1.fact) }
        if let denying { return (.denied, denying.fact) }
        let isReplaced = next.map { $0.start < running.end } ?? false
        // A renewal at its end, or the successor of an upgrade, shows that it ran until then.
        if let next, next.firstStated > period.start,
            next.start.isSameSecond(as: running.end) || isReplaced && running.isUpgraded
        {
            return (.denied, next.firstFact)
        }
        // A running product cannot be bought again; an upgrade is to another product.
        let mayBeSuccessor = running.isUpgraded && !isReplaced
        guard !mayBeSuccessor, let product = product(period), product == self.product(running)
        else { return nil }
        let until = next.map { min($0.start, running.end) } ?? running.end
        return (.unconfirmed(until: until), running.bestFact)
    }

    /// The first higher-rank fact, not signed before the period began, according to which nothing
    /// was bought between the higher-rank periods.
    private func denial(
        of period: Period, after governing: Period, until next: Timestamp?
    ) -> Int? {
        let rule = AfterPeriodRule(facts: facts, period: governing, nextStart: next)
        return evidence.first { index in
            let time = facts.times[index]
            guard time >= period.start, next.map({ time < $0 }) ?? true else { return false }
            let fact = facts[index]
            if isPaidLater(period, index, rule) { return false }
            let signal = rule.signal(index)
            if let status = fact.status?.value, status != .active || signal == .nothing {
                return status != .active
            }
            if signal != .nothing { return true }
            guard period.start >= governing.end, let renewal = fact.statedRenewal,
                !(fact.statedTransaction?.purchaseDate.map { $0 > period.start } ?? false)
            else { return false }
            // The end of the newest purchase: an unknown purchase precedes it.
            guard let date = renewal.renewalDate else {
                return !TrustRanks.ofAnyPurchase.contains(fact.cause.notificationType?.value)
            }
            return date <= period.start || period.end > date.advanced(byMilliseconds: 1_000)
        }
    }

    /// Whether a fact states grace that ran when it was signed, before the first statement of a
    /// period that begins exactly at E: a payment that succeeds later in grace keeps the anchor
    /// (rule 5, last clause), so both are true. A status that states the end of grace counts only
    /// where rule 5 uses it.
    private func isPaidLater(_ period: Period, _ index: Int, _ rule: AfterPeriodRule) -> Bool {
        let time = facts.times[index]
        guard period.start == rule.end, time < period.firstStated,
            facts[index].cause.notificationType?.value != .gracePeriodExpired,
            rule.signal(index) == .failing, let date = rule.graceDate(index)
        else { return false }
        if rule.signedSignal(index) == nil, let status = facts[index].status?.value,
            status != .active, status != .billingGracePeriod
        {
            return false
        }
        return time < date
    }

    /// Rejects the period if it would end access before a higher rank does.
    private func shortens(
        _ period: Period, access until: Timestamp, ruling: Int
    ) -> Verdict? {
        // Receipts have whole seconds.
        let isShorter = until.milliseconds(since: period.end) >= 1_000
        // What each copy states: which of one second counts may depend on the other copies.
        let isRevoked = period.revoking.contains { index in
            records[index].spans.contains { $0.from < until }
        }
        guard isShorter || isRevoked else { return nil }
        return (.unconfirmed(until: until), ruling)
    }

    private func product(_ period: Period) -> ProductId? {
        facts[period.bestFact].statedTransaction?.productId
    }
}
