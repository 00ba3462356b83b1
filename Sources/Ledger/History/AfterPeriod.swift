import AppStore

/// What a fact states about the time after a period's end (`Lifecycle.md` §2 rule 5).
enum RenewalSignal: Sendable {
    case over
    case failing
    case nothing
}

/// A piece of valid time with one state, before revocations are applied.
struct Segment: HalfOpen, Sendable {
    var state: ChainState
    var from: Timestamp
    var to: Timestamp?
    /// What proves the state.
    var proof: Proof

    /// The first of those facts.
    var cause: Int { proof.cause }
}

/// The result of rule 5 for the time between a period's end E and the next start S.
struct AfterPeriod: Sendable {
    let segments: [Segment]
    /// Why access ended, if a statement about the end gives a reason.
    var reason: EndReason?
    var hasFailing = false
    var hasOver = false
    /// The first EXPIRED notification in the window of rule 5, whatever follows it.
    var expiredFact: Int?
    /// Grace was stated without a date and with no other evidence of its end: a notice.
    var undatedGraceFact: Int?
}

/// Evaluates rule 5 for one period.
struct AfterPeriodRule {
    let facts: OrderedFacts
    let period: Period
    /// S; nil when no later period is known.
    let nextStart: Timestamp?
    /// The DID_RENEW/BILLING_RECOVERY fact that brought the next period.
    var statedRecovery: Int?

    var end: Timestamp { period.end }

    /// The recovery, unless a more trusted fact states that the period was over.
    private var recoveryFact: Int? {
        guard let statedRecovery else { return nil }
        let isOver = evidence(until: nextStart).contains { index in
            signal(index) == .over && facts[index].trust > facts[statedRecovery].trust
        }
        return isOver ? nil : statedRecovery
    }

    static let dayMilliseconds: Int64 = 86_400_000
    static let retryMilliseconds: Int64 = 60 * dayMilliseconds
    static let monthlyPlanRetryMilliseconds: Int64 = 90 * dayMilliseconds
    static let undatedGraceMilliseconds: Int64 = 3 * dayMilliseconds

    func evaluate() -> AfterPeriod {
        let window = evidence(until: nextStart)
        let failing = failing(window)
        let allOver = window.filter { signal($0) == .over }
        // Those that no failing fact follows.
        let over = allOver.filter { fact in
            failing.last.map { facts.times[$0] <= facts.times[fact] } ?? true
        }
        let (graceEnd, graceFact, undatedGraceFact) = grace(failing, window)
        let exit = exit(over.first, failing)
        let limit = nextStart.map { min($0, exit.time) } ?? exit.time
        var segments: [Segment] = []
        var cursor = end
        func add(_ state: ChainState, until: Timestamp?, _ proof: Proof) {
            if let until, until <= cursor { return }
            segments.append(Segment(state: state, from: cursor, to: until, proof: proof))
            if let until { cursor = until }
        }
        if let firstFailing = failing.first {
            let graceLimit = min(graceEnd, limit)
            add(
                .grace, until: graceLimit, Proof(graceFact ?? firstFailing, date: period.endFact))
            let retryCause = segments.isEmpty ? firstFailing : graceOver(window) ?? graceFact
            let retryDate = segments.isEmpty ? period.endFact : graceFact
            add(.billingRetry, until: limit, Proof(retryCause ?? firstFailing, date: retryDate))
        } else if let recoveryFact {
            add(.billingRetry, until: limit, Proof(recoveryFact, date: period.endFact))
        }
        let why = reason(over)
        if nextStart.map({ cursor < $0 }) ?? true {
            // Retry ends with the fact that ended it, or is counted from the last failure.
            let date = segments.isEmpty ? period.endFact : exit.fact ?? failing.last ?? recoveryFact
            add(
                .expired, until: nextStart,
                Proof(exit.fact ?? period.endFact, date: date, reason: why?.fact))
        }
        let isGraceEndKnown =
            nextStart.map { $0 <= graceEnd } ?? false || exit.fact != nil && exit.time <= graceEnd
        return AfterPeriod(
            segments: segments, reason: why?.reason,
            hasFailing: !failing.isEmpty, hasOver: !allOver.isEmpty,
            expiredFact: window.first { isExpired($0) },
            undatedGraceFact: isGraceEndKnown ? nil : undatedGraceFact)
    }

    /// The failing facts, without those before a cancellation: where the customer turned auto-renew
    /// off after a failure, but before E, Apple does not try again.
    func failing(_ window: [Int]) -> [Int] {
        let failing = window.filter { signal($0) == .failing }
        guard let first = failing.first, facts.times[first] < end,
            let newest = window.last(where: {
                facts.times[$0] < end && facts[$0].statedRenewal?.willRenew != nil
            }),
            facts[newest].statedRenewal?.willRenew == false, signal(newest) == .nothing
        else { return failing }
        return failing.filter { facts.times[$0] > facts.times[newest] }
    }

    /// Candidate facts of the highest trust among them: with a notification type, a renewal
    /// snapshot or a status, signed from shortly before E up to `until`.
    func evidence(until: Timestamp?) -> [Int] {
        let found = candidateFacts(until: until)
        guard let first = found.first.map({ facts[$0].trust }),
            found.contains(where: { facts[$0].trust != first })
        else { return found }
        let trusted = found.reduce(first) { max($0, facts[$1].trust) }
        return found.filter { facts[$0].trust == trusted }
    }

    /// Like `evidence`, with facts of every trust.
    func candidateFacts(until: Timestamp?) -> [Int] {
        facts.signed(from: opening, to: until).filter { index in
            let fact = facts[index]
            return fact.cause.notificationType != nil || fact.statedRenewal != nil
                || fact.status != nil
        }
    }

    /// E − lead, from which facts concern the time after E.
    private var opening: Timestamp { end.advanced(byMilliseconds: -period.leadMilliseconds) }

    /// The first case of rule 5 that matches.
    func signal(_ index: Int) -> RenewalSignal {
        let fact = facts[index]
        if let signed = signedSignal(index) { return signed }
        let type = fact.cause.notificationType?.value
        let status = fact.status?.value
        if type == .expired || status == .expired { return .over }
        if type == .didFailToRenew || type == .gracePeriodExpired { return .failing }
        if status == .billingRetry || status == .billingGracePeriod { return .failing }
        if graceDate(index) != nil, fact.statedRenewal?.autoRenewStatus?.value == .on {
            return .failing
        }
        if fact.status == nil {
            if fact.statedRenewal?.isInBillingRetryPeriod == true { return .failing }
            if fact.statedRenewal?.expirationIntent?.value != nil { return .over }
        }
        return .nothing
    }

    /// What the renewal info of a pair states by itself: the status beside it is not signed and
    /// does not overrule it. Nil where the status decides: in other facts, beside renewal info that
    /// is older than the window, and after a billing error, because the retry flag has been seen
    /// false during grace, and true in renewal info of the time before the end.
    func signedSignal(_ index: Int) -> RenewalSignal? {
        guard facts[index].cause.kind == .renewalPair, let renewal = facts[index].statedRenewal,
            renewal.signedDate ?? facts.times[index] >= opening
        else { return nil }
        if let date = graceDate(index), date > facts.times[index],
            renewal.autoRenewStatus?.value == .on
        {
            return .failing
        }
        guard let intent = renewal.expirationIntent?.value, intent != .billingError,
            renewal.isInBillingRetryPeriod != true
        else { return nil }
        return .over
    }

    /// A stated grace date beyond E.
    func graceDate(_ index: Int) -> Timestamp? {
        guard let date = facts[index].statedRenewal?.gracePeriodExpiresDate, date > end else {
            return nil
        }
        return date
    }

    private func isExpired(_ index: Int) -> Bool {
        facts[index].cause.notificationType?.value == .expired
    }

    /// G, the fact that stated it and, if G is estimated, the fact that stated grace without a
    /// date.
    private func grace(
        _ failing: [Int], _ window: [Int]
    ) -> (end: Timestamp, fact: Int?, undated: Int?) {
        if let fact = failing.last(where: { graceDate($0) != nil }), let date = graceDate(fact) {
            return (date, fact, nil)
        }
        let undated = failing.first { index in
            facts[index].statedRenewal?.gracePeriodExpiresDate == nil
                && (facts[index].cause.subtype?.value == .gracePeriod
                    || facts[index].status?.value == .billingGracePeriod)
        }
        guard let undated else { return (end, nil, nil) }
        let longest = end.advanced(byMilliseconds: AfterPeriodRule.undatedGraceMilliseconds)
        guard let over = graceOver(window) else { return (longest, undated, undated) }
        let time = facts.times[over]
        return time <= longest ? (time, undated, nil) : (longest, undated, undated)
    }

    /// The first fact stating that grace is over while retry continues.
    private func graceOver(_ window: [Int]) -> Int? {
        window.first { index in
            facts[index].cause.notificationType?.value == .gracePeriodExpired
                || facts[index].status?.value == .billingRetry && signedSignal(index) == nil
        }
    }

    /// X, and the fact that proves it (nil: the clock).
    private func exit(_ over: Int?, _ failing: [Int]) -> (time: Timestamp, fact: Int?) {
        let cap = cap(failing.last.map { facts.times[$0] })
        guard let over else { return (max(end, cap), nil) }
        let time = facts.times[over]
        if time > cap, !isExpired(over) {
            // Retry had already ended by the clock; without any failure the fact is still the
            // proof.
            return (max(end, cap), failing.isEmpty ? over : nil)
        }
        return (max(end, time), over)
    }

    /// The latest end of retry.
    private func cap(_ newestFailing: Timestamp?) -> Timestamp {
        var cap = end.advanced(byMilliseconds: retryWindowMilliseconds)
        if let newestFailing { cap = max(cap, newestFailing) }
        if recoveryFact != nil, let nextStart { cap = max(cap, nextStart) }
        return cap
    }

    private var retryWindowMilliseconds: Int64 {
        guard facts.environment == .production else {
            let length = max(0, end.milliseconds(since: period.start))
            let (twice, overflow) = length.multipliedReportingOverflow(by: 2)
            return overflow ? .max : twice
        }
        let plan = facts[period.bestFact].statedTransaction?.billingPlanType?.value
        return plan == .monthly
            ? AfterPeriodRule.monthlyPlanRetryMilliseconds : AfterPeriodRule.retryMilliseconds
    }

    /// Why the subscription expired: EXPIRED's subtype, else the intent of the first fact stating
    /// that it is over; and the fact that states it.
    private func reason(_ over: [Int]) -> (reason: EndReason, fact: Int)? {
        for fact in over where isExpired(fact) {
            if let reason = EndReason(expired: facts[fact].cause.subtype?.value) {
                return (reason, fact)
            }
        }
        for fact in over {
            if let reason = EndReason(intent: facts[fact].statedRenewal?.expirationIntent?.value) {
                return (reason, fact)
            }
        }
        return nil
    }
}

extension EndReason {
    /// EXPIRED's subtype; nil when it has none or an unknown one.
    init?(expired subtype: Subtype?) {
        switch subtype {
        case .voluntary: self = .voluntary
        case .billingRetry: self = .billing
        case .priceIncrease: self = .priceIncrease
        case .productNotForSale: self = .productUnavailable
        default: return nil
        }
    }

    init?(intent: ExpirationIntent?) {
        switch intent {
        case .customerCancelled: self = .voluntary
        case .billingError: self = .billing
        case .customerDidNotConsentToPriceIncrease: self = .priceIncrease
        case .productNotAvailable: self = .productUnavailable
        case .other: self = .other
        case nil: return nil
        }
    }
}
