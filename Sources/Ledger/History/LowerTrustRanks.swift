import AppStore

/// A purchase stated only by a lower rank and rejected, because a higher rank makes a statement
/// about its time (`Ledger.docc`, Original StoreKit).
struct RejectedPurchase: Sendable {
    enum Reason: Sendable {
        /// A newer statement of a higher rank excludes it.
        case denied
        /// Not excluded, but it would end access earlier than a higher rank states, or repeats a
        /// running purchase; applies until then.
        case unconfirmed(until: Timestamp)
    }

    let transactionId: TransactionId
    let purchaseDate: Timestamp
    let reason: Reason
    /// The fact that first stated it.
    let reported: Int
    /// The higher-rank fact about its time.
    let ruling: Int
}

/// Resolves the statements of several trust ranks about one chain: a period stated only by a lower
/// rank counts where no newer statement of a higher rank covers its time, and never removes access
/// that a higher rank gives (`lifecycle.md` §2 rule 2). A function of the set of facts; chains of
/// one rank are skipped.
struct LowerTrustRanks {
    /// Notifications that may concern an older purchase than the newest.
    static let ofAnyPurchase: Set<NotificationType?> = [
        .refund, .refundDeclined, .refundReversed, .consumptionRequest, .revoke,
    ]

    private(set) var setAside: [RejectedPurchase] = []
    /// Every transactionId of rejected purchases.
    private(set) var ids: Set<TransactionId> = []
    /// The account tokens of rejected purchases: their customers hold nothing, but were named.
    private(set) var tokens: [String] = []
    /// The starts of the periods that count, ascending.
    let starts: [Timestamp]

    private let facts: OrderedFacts
    private let environment: Environment
    private let records: [TransactionRecord]

    /// - Parameter facts: all of them, completed, with nothing rejected yet.
    init(_ facts: OrderedFacts, environment: Environment) {
        self.facts = facts
        self.environment = environment
        let records = TransactionRecord.records(of: facts)
        self.records = records
        let periods = Period.periods(of: records, facts)
        let ranks = Set(records.map(\.best.trust)).sorted(by: >)
        var counted: [Period] = []
        var found: [(aside: RejectedPurchase, period: Period)] = []
        for rank in ranks {
            let bench = RankBench(rank, counted, records, facts, environment)
            var accepted: [Period] = []
            for period in periods where facts[period.bestFact].trust == rank {
                if let aside = bench.judge(period) {
                    found.append((aside, period))
                } else {
                    accepted.append(period)
                }
            }
            counted = (counted + accepted).sorted(by: Period.precedes)
        }
        starts = counted.map(\.start)
        setAside = found.map(\.aside)
        ids = Set(found.flatMap { $0.period.records.map { records[$0].transactionId } })
        tokens = facts.facts.compactMap { fact in
            fact.statedTransaction.flatMap { stated in
                ids.contains(stated.transactionId) ? stated.appAccountToken : nil
            }
        }
    }
}

/// The statements above one rank, against which that rank's own periods are judged.
private struct RankBench {
    let rank: Trust
    /// Periods of higher ranks that count, in rule 4's order.
    let higher: [Period]
    let records: [TransactionRecord]
    let facts: OrderedFacts
    let environment: Environment
    /// Higher-rank facts about the time after a period, in order.
    let evidence: [Int]
    /// The chain's first purchase, and the higher-rank fact that dates it.
    let origin: (time: Timestamp, fact: Int)?
    /// A higher-rank fact stating that the chain does not renew.
    let oneTime: Int?

    init(
        _ rank: Trust, _ higher: [Period], _ records: [TransactionRecord], _ facts: OrderedFacts,
        _ environment: Environment
    ) {
        self.rank = rank
        self.higher = higher
        self.records = records
        self.facts = facts
        self.environment = environment
        let trusted = facts.indices.filter { facts[$0].trust > rank }
        evidence = trusted.filter { index in
            let fact = facts[index]
            return fact.status != nil || fact.statedRenewal != nil
                || RankBench.endings.contains(fact.cause.notificationType?.value)
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
    func judge(_ period: Period) -> RejectedPurchase? {
        if let origin,
            period.start.milliseconds(since: origin.time)
                < -NoticeLimits.firstPeriodToleranceMilliseconds
        {
            return aside(period, .denied, by: origin.fact)
        }
        guard let index = higher.lastIndex(where: { $0.start <= period.start }) else {
            return higher.isEmpty ? oneTime.map { aside(period, .denied, by: $0) } : nil
        }
        let next = index + 1 < higher.count ? higher[index + 1] : nil
        let governing = higher[index]
        let isRevoked = governing.spans.contains { $0.contains(period.start) }
        if period.start < governing.end, !isRevoked {
            return judge(period, within: governing, next)
        }
        if let denying = denial(of: period, after: governing, until: next?.start) {
            return aside(period, .denied, by: denying)
        }
        return isRevoked ? nil : shortensGrace(period, after: governing, until: next?.start)
    }

    /// Judges a period that begins within a running higher-rank one.
    private func judge(_ period: Period, within running: Period, _ next: Period?)
        -> RejectedPurchase?
    {
        if isSameSecond(period.start, running.start) {
            return aside(period, .denied, by: running.firstFact)
        }
        // A later statement of the running purchase, without an earlier upgrade or refund, excludes
        // a replacement.
        let denying = running.records.lazy.flatMap { records[$0].statements }.filter { statement in
            statement.signedDate > period.start
                && statement.revocationDate.map { $0 > period.start } ?? true
                && facts[statement.fact].statedTransaction?.isUpgraded == false
        }.min { ($0.signedDate, $0.fact) < ($1.signedDate, $1.fact) }
        if let denying { return aside(period, .denied, by: denying.fact) }
        // A renewal at its end shows that it ran until then.
        if let next, isSameSecond(next.start, running.end), next.firstStated > period.start {
            return aside(period, .denied, by: next.firstFact)
        }
        let isReplaced = next.map { $0.start < running.end } ?? false
        if running.isUpgraded, !isReplaced { return nil }
        let until = next.map { min($0.start, running.end) } ?? running.end
        // A running product cannot be bought again; an upgrade is to another product.
        if let product = product(period), product == self.product(running) {
            return aside(period, .unconfirmed(until: until), by: running.bestFact)
        }
        return shortens(period, access: until, ruling: running.bestFact)
    }

    /// The first higher-rank fact, signed after the period began, according to which nothing was
    /// bought between the higher-rank periods.
    private func denial(
        of period: Period, after governing: Period, until next: Timestamp?
    ) -> Int? {
        let rule = AfterPeriodRule(
            facts: facts, environment: environment, period: governing, nextStart: next,
            recoveryFact: nil)
        return evidence.first { index in
            let time = facts.times[index]
            guard time > period.start, next.map({ time < $0 }) ?? true else { return false }
            let fact = facts[index]
            if isPaidLater(period, index, rule) { return false }
            if let status = fact.status?.value { return status != .active }
            if rule.word(index) != .nothing { return true }
            guard period.start >= governing.end, let renewal = fact.statedRenewal,
                !(fact.statedTransaction?.purchaseDate.map { $0 > period.start } ?? false)
            else { return false }
            // The end of the newest purchase: an unknown purchase precedes it.
            guard let date = renewal.renewalDate else {
                return !LowerTrustRanks.ofAnyPurchase.contains(fact.cause.notificationType?.value)
            }
            return date <= period.start || period.end > date.advanced(byMilliseconds: 1_000)
        }
    }

    /// Whether a fact states grace that ran when it was signed, before the first statement of a
    /// period that begins exactly at E: a payment that succeeds later in grace keeps the anchor
    /// (rule 5, last clause), so both are true.
    private func isPaidLater(_ period: Period, _ index: Int, _ rule: AfterPeriodRule) -> Bool {
        let time = facts.times[index]
        guard period.start == rule.end, time < period.firstStated,
            facts[index].status.map({ $0.value == .billingGracePeriod }) ?? true,
            facts[index].cause.notificationType?.value != .gracePeriodExpired,
            rule.word(index) == .failing, let date = rule.graceDate(index)
        else { return false }
        return time < date
    }

    private func shortensGrace(
        _ period: Period, after governing: Period, until next: Timestamp?
    ) -> RejectedPurchase? {
        let found = AfterPeriodRule(
            facts: facts, environment: environment, period: governing, nextStart: next,
            recoveryFact: nil
        ).evaluate()
        guard
            let grace = found.segments.first(where: { segment in
                segment.state == .grace && segment.from <= period.start
                    && segment.to.map { period.start < $0 } ?? true
            }), let until = grace.to, facts[grace.cause].trust > rank
        else { return nil }
        return shortens(period, access: until, ruling: grace.cause)
    }

    /// Rejects the period if it would end access before a higher rank does.
    private func shortens(
        _ period: Period, access until: Timestamp, ruling: Int
    ) -> RejectedPurchase? {
        // Receipts have whole seconds.
        let isShorter = until.milliseconds(since: period.end) >= 1_000
        guard isShorter || period.spans.contains(where: { $0.from < until }) else { return nil }
        return aside(period, .unconfirmed(until: until), by: ruling)
    }

    private func aside(_ period: Period, _ reason: RejectedPurchase.Reason, by ruling: Int)
        -> RejectedPurchase
    {
        RejectedPurchase(
            transactionId: period.transactionId, purchaseDate: period.start, reason: reason,
            reported: period.firstFact, ruling: ruling)
    }

    private func product(_ period: Period) -> ProductId? {
        facts[period.bestFact].statedTransaction?.productId
    }

    private func isSameSecond(_ left: Timestamp, _ right: Timestamp) -> Bool {
        left.milliseconds / 1_000 == right.milliseconds / 1_000
    }
}
