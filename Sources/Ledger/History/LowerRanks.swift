import AppStore

/// A purchase that only a lower rank tells of and that does not count, since what is believed more
/// speaks of its time (`Ledger.docc`, Original StoreKit).
struct SetAside: Sendable {
    enum Reason: Sendable {
        /// A newer statement of a higher rank leaves no room for it.
        case denied
        /// Nothing denies it, but it would end access earlier than a higher rank has it, or buys
        /// again what runs; that holds until then.
        case unconfirmed(until: Timestamp)
    }

    let transactionId: TransactionId
    let purchaseDate: Timestamp
    let reason: Reason
    /// The fact that told it first.
    let told: Int
    /// The fact of the higher rank that speaks of its time.
    let ruling: Int
}

/// What several ranks of trust tell of one chain, judged: a period that is only a lower rank's counts
/// where no newer statement of a higher rank covers its time, and never takes access away that a
/// higher rank gives (`lifecycle.md` §2 rule 2). A function of the set of facts; chains of one rank
/// are never looked at.
struct LowerRanks {
    /// Notifications that may speak of an older purchase than the newest.
    static let ofAnyPurchase: Set<NotificationType?> = [
        .refund, .refundDeclined, .refundReversed, .consumptionRequest, .revoke,
    ]

    private(set) var setAside: [SetAside] = []
    /// Every transactionId of what was set aside.
    private(set) var ids: Set<TransactionId> = []
    /// The account tokens in what was set aside: they name nobody who holds anything, but were named.
    private(set) var tokens: [String] = []
    /// When the periods begin that count, ascending.
    let starts: [Timestamp]

    private let facts: OrderedFacts
    private let environment: Environment
    private let records: [TransactionRecord]

    /// - Parameter facts: all of them, completed, nothing set aside yet.
    init(_ facts: OrderedFacts, environment: Environment) {
        self.facts = facts
        self.environment = environment
        let records = TransactionRecord.records(of: facts)
        self.records = records
        let periods = Period.periods(of: records, facts)
        let ranks = Set(records.map(\.best.trust)).sorted(by: >)
        var counted: [Period] = []
        var found: [(aside: SetAside, period: Period)] = []
        for rank in ranks {
            let bench = RankBench(rank, counted, records, facts, environment)
            var believed: [Period] = []
            for period in periods where facts[period.bestFact].trust == rank {
                if let aside = bench.judge(period) {
                    found.append((aside, period))
                } else {
                    believed.append(period)
                }
            }
            counted = (counted + believed).sorted(by: Period.precedes)
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

/// What is believed more than one rank, and how that rank's own periods fare before it.
private struct RankBench {
    let rank: Trust
    /// Periods of higher ranks that count, in rule 4's order.
    let higher: [Period]
    let records: [TransactionRecord]
    let facts: OrderedFacts
    let environment: Environment
    /// Facts of higher ranks that speak of the time after a period, in order.
    let evidence: [Int]
    /// The chain's first purchase, and the fact of a higher rank that dates it.
    let origin: (time: Timestamp, fact: Int)?
    /// A fact of a higher rank by which the chain does not renew at all.
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

    /// Notifications that say how it stands after a period, even without a status.
    static let endings: Set<NotificationType?> = [.expired, .didFailToRenew, .gracePeriodExpired]

    /// Why a period does not count; nil when it does.
    func judge(_ period: Period) -> SetAside? {
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

    /// A period that begins within a higher one that runs.
    private func judge(_ period: Period, within running: Period, _ next: Period?) -> SetAside? {
        if isSameSecond(period.start, running.start) {
            return aside(period, .denied, by: running.firstFact)
        }
        // Whoever states it later, and not that it was upgraded or refunded before, denies that
        // something else was bought in its place.
        let denying = running.records.lazy.flatMap { records[$0].statements }.filter { statement in
            statement.signedDate > period.start
                && statement.revocationDate.map { $0 > period.start } ?? true
                && facts[statement.fact].statedTransaction?.isUpgraded == false
        }.min { ($0.signedDate, $0.fact) < ($1.signedDate, $1.fact) }
        if let denying { return aside(period, .denied, by: denying.fact) }
        // It was renewed at its end: it ran until there.
        if let next, isSameSecond(next.start, running.end), next.firstStated > period.start {
            return aside(period, .denied, by: next.firstFact)
        }
        let isReplaced = next.map { $0.start < running.end } ?? false
        if running.isUpgraded, !isReplaced { return nil }
        let until = next.map { min($0.start, running.end) } ?? running.end
        // Nobody can buy what is running: an upgrade is of another product.
        if let product = product(period), product == self.product(running) {
            return aside(period, .unconfirmed(until: until), by: running.bestFact)
        }
        return shortens(period, access: until, ruling: running.bestFact)
    }

    /// The first fact of a higher rank, signed after a period began, by which nothing had been
    /// bought in the time between the higher periods.
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
            // When the newest purchase ends: one that is not known is before it.
            guard let date = renewal.renewalDate else {
                return !LowerRanks.ofAnyPurchase.contains(fact.cause.notificationType?.value)
            }
            return date <= period.start || period.end > date.advanced(byMilliseconds: 1_000)
        }
    }

    /// Whether a fact tells of grace that ran when it was signed, before anybody told of a period
    /// that begins exactly at E: a payment that succeeds later in grace keeps the anchor (rule 5,
    /// last clause), so both are true.
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
    ) -> SetAside? {
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

    /// Set aside if access would end before it does by what is believed more.
    private func shortens(
        _ period: Period, access until: Timestamp, ruling: Int
    ) -> SetAside? {
        // Receipts write whole seconds.
        let isShorter = until.milliseconds(since: period.end) >= 1_000
        guard isShorter || period.spans.contains(where: { $0.from < until }) else { return nil }
        return aside(period, .unconfirmed(until: until), by: ruling)
    }

    private func aside(_ period: Period, _ reason: SetAside.Reason, by ruling: Int) -> SetAside {
        SetAside(
            transactionId: period.transactionId, purchaseDate: period.start, reason: reason,
            told: period.firstFact, ruling: ruling)
    }

    private func product(_ period: Period) -> ProductId? {
        facts[period.bestFact].statedTransaction?.productId
    }

    private func isSameSecond(_ left: Timestamp, _ right: Timestamp) -> Bool {
        left.milliseconds / 1_000 == right.milliseconds / 1_000
    }
}
