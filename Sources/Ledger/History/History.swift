import AppStore

/// The whole valid-time history of one chain: the result of reduction
/// (`lifecycle.md` §2: a pure function of the set of facts).
///
/// A class, because every reader keeps a reference and copying its arrays would retain each.
final class History: Sendable {
    let environment: Environment
    let facts: OrderedFacts
    let records: [TransactionRecord]
    /// In rule 4's order, each with the time it counts from.
    let periods: [Period]
    /// The result of rule 5 after each period; nil where the next one follows without a gap.
    let after: [AfterPeriod?]
    /// The subject of each renewal snapshot.
    let renewalSubjects: RenewalSubjects
    /// Adjacent, in order, without gaps between them.
    let intervals: [Interval]
    /// Whether the chain is a one-time purchase (`lifecycle.md` §5); it then has one period, open
    /// or of the catalogue's duration.
    let isOneTime: Bool

    init(_ facts: OrderedFacts, environment: Environment, catalogue: Catalogue) {
        self.facts = facts
        self.environment = environment
        let records = TransactionRecord.records(of: facts)
        self.records = records
        var periods = Period.periods(of: records, facts)
        var after: [AfterPeriod?] = Array(repeating: nil, count: periods.count)
        var base: [[Segment]] = Array(repeating: [], count: periods.count)
        let recoveries = History.recoveries(facts)
        for index in periods.indices {
            if index + 1 < periods.count, periods[index + 1].start <= periods[index].end {
                guard
                    let grace = History.keptAnchorGrace(index, periods, facts, environment),
                    let until = grace.to
                else { continue }
                periods[index + 1].countsFrom = until
                base[index] = [grace]
            } else {
                let next = index + 1 < periods.count ? periods[index + 1] : nil
                let found = AfterPeriodRule(
                    facts: facts, environment: environment, period: periods[index],
                    nextStart: next?.start,
                    recoveryFact: next.flatMap { next in
                        recoveries.first { next.contains(transaction: $0.id, in: records) }?.fact
                    }
                ).evaluate()
                after[index] = found
                base[index] = found.segments
            }
        }
        var assembly = HistoryAssembly(
            facts: facts, periods: periods,
            higherRanks: facts.ranksDiffer
                ? History.higherRanks(periods, facts, environment, catalogue) : [:])
        var subjects = RenewalSubjects(facts, periods, environment)
        for index in periods.indices {
            subjects.append(beginsRun: assembly.beginsRun(index, environment))
            var reason = after[index]?.reason
            if after[index] != nil, reason == nil {
                let why = subjects.reason(index, facts, periods)
                reason = why.reason
                // The end is the last segment.
                if let last = base[index].indices.last, base[index][last].state == .expired {
                    base[index][last].proof.reason = why.fact
                }
            }
            assembly.append(index, base[index], reason)
        }
        renewalSubjects = subjects
        isOneTime = periods.isEmpty
        if periods.isEmpty, let purchase = OneTimePurchase(records, facts, catalogue) {
            periods = [purchase.period]
            after = [nil]
            assembly = HistoryAssembly(facts: facts, periods: periods)
            assembly.append(0, segments: purchase.segments)
        }
        self.periods = periods
        self.after = after
        intervals = assembly.intervals
    }

    private static func higherRanks(
        _ periods: [Period], _ facts: OrderedFacts, _ environment: Environment,
        _ catalogue: Catalogue
    ) -> [Trust: History] {
        let ranks = periods.map { facts[$0.bestFact].trust }
        guard let lowest = ranks.min() else { return [:] }
        let asked = Set(
            periods.indices.filter { index in
                ranks[index] > lowest
                    && facts[periods[index].bestFact].statedTransaction?.transactionReason?.value
                        == .purchase
            }.map { ranks[$0] })
        return asked.reduce(into: [:]) { histories, rank in
            let trusted = OrderedFacts(
                facts.facts.filter { $0.trust >= rank }, environment: environment)
            histories[rank] = History(trusted, environment: environment, catalogue: catalogue)
        }
    }

    /// The facts of DID_RENEW/BILLING_RECOVERY, with the transaction each carries.
    private static func recoveries(_ facts: OrderedFacts) -> [(fact: Int, id: TransactionId)] {
        facts.indices.compactMap { index in
            guard facts[index].cause.notificationType?.value == .didRenew,
                facts[index].cause.subtype?.value == .billingRecovery,
                let id = facts[index].statedTransaction?.transactionId
            else { return nil }
            return (index, id)
        }
    }

    /// Index of the interval that contains `time`; nil before the first.
    func interval(at time: Timestamp) -> Int? {
        var low = 0
        var high = intervals.count
        while low < high {
            let middle = (low + high) / 2
            if intervals[middle].from <= time { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : low - 1
    }
}

/// Assembles periods, the time after them, and revocations into adjacent intervals.
struct HistoryAssembly {
    let facts: OrderedFacts
    let periods: [Period]
    /// Until when each period governs: the earliest time any later one counts from (rule 6: the
    /// last in order that counts from ≤ t). Nil for the last.
    private let governsUntil: [Timestamp?]
    private(set) var intervals: [Interval] = []
    /// The histories of each rank combined with higher ones, for ranks where a lower rank states
    /// the time before one of their purchases.
    private let higherRanks: [Trust: History]

    init(facts: OrderedFacts, periods: [Period], higherRanks: [Trust: History] = [:]) {
        self.facts = facts
        self.periods = periods
        self.higherRanks = higherRanks
        var limits: [Timestamp?] = Array(repeating: nil, count: periods.count)
        var limit: Timestamp?
        for index in periods.indices.reversed() {
            limits[index] = limit
            limit = min(limit ?? periods[index].countsFrom, periods[index].countsFrom)
        }
        governsUntil = limits
        // One per period, and the end of the last.
        intervals.reserveCapacity(periods.count + 3)
    }

    /// Whether a period about to be appended begins a new run: it follows expired time, or was
    /// bought after revoked time. Outside Production, renewals may begin minutes late.
    func beginsRun(_ index: Int, _ environment: Environment) -> Bool {
        guard index > 0 else { return true }
        let reason = facts[periods[index].bestFact].statedTransaction?.transactionReason?.value
        let isRenewal = periods[index].isRenewal(facts)
        switch stateBefore(index, reason) {
        case .revoked: return !isRenewal
        case .expired:
            let gap = periods[index].start.milliseconds(since: periods[index - 1].end)
            let isLate = environment != .production && gap <= NoticeLimits.sandboxGapMilliseconds
            return !(isRenewal && isLate)
        default: return false
        }
    }

    /// Appends the time governed by the period: the period, the time after it, its revocations.
    mutating func append(_ index: Int, _ following: [Segment], _ reason: EndReason?) {
        let nextFrom = governsUntil[index]
        let from = periods[index].countsFrom
        let end = nextFrom.map { min(periods[index].end, $0) } ?? periods[index].end
        if from < end {
            let own = Segment(
                state: label(index), from: from, to: end, proof: proof(index))
            append(own, period: index, reason: reason)
        }
        for segment in following {
            var segment = segment
            segment.from = max(segment.from, from)
            if let nextFrom { segment.to = segment.to.map { min($0, nextFrom) } ?? nextFrom }
            if let to = segment.to, to <= segment.from { continue }
            append(segment, period: index, reason: reason)
        }
    }

    /// Appends segments, cut by the period's revocations.
    mutating func append(_ index: Int, segments: [Segment], reason: EndReason? = nil) {
        for segment in segments {
            append(segment, period: index, reason: reason)
        }
    }

    /// The first statement of the period; also the statement of its date and reason if that is
    /// another one, and the one that delayed it in grace.
    private func proof(_ index: Int) -> Proof {
        let period = periods[index]
        var proof = Proof(period.firstFact)
        if period.bestFact != period.firstFact {
            let first = facts[period.firstFact].statedTransaction
            let best = facts[period.bestFact].statedTransaction
            if first?.purchaseDate != best?.purchaseDate
                || first?.transactionReason != best?.transactionReason
            {
                proof.date = period.bestFact
            }
        }
        if period.countsFrom > period.start, let last = intervals.last, last.state == .grace {
            proof.reason = last.cause
        }
        return proof
    }

    /// Rule 7. The label depends on the state immediately before the period counts.
    private func label(_ index: Int) -> ChainState {
        let best = periods[index].bestFact
        let reason = facts[best].statedTransaction?.transactionReason?.value
        if reason == .renewal { return .renewing }
        switch stateBefore(index, reason) {
        case .subscribed, .renewing, .grace, .billingRetry: return .renewing
        default: return .subscribed
        }
    }

    /// The state immediately before a period. If a higher rank states a new purchase, earlier time
    /// known only from a lower rank does not make it a renewal.
    private func stateBefore(_ index: Int, _ reason: TransactionReason?) -> ChainState? {
        let trust = facts[periods[index].bestFact].trust
        guard let last = intervals.last, reason == .purchase,
            facts[periods[last.period].bestFact].trust < trust, let higher = higherRanks[trust]
        else { return intervals.last?.state }
        let before = periods[index].countsFrom.advanced(byMilliseconds: -1)
        return higher.interval(at: before).map { higher.intervals[$0].state }
    }

    /// Cuts a segment by the period's revocation spans (rule 6).
    private mutating func append(_ segment: Segment, period index: Int, reason: EndReason?) {
        let spans = periods[index].spans
        guard !spans.isEmpty else {
            if let to = segment.to, to <= segment.from { return }
            return emit(
                segment.state, segment.from, segment.to, segment.proof, index,
                endReason(segment.state, reason))
        }
        var cursor = segment.from
        var proof = segment.proof
        if let closer = spans.last(where: { $0.to == cursor })?.closer, !intervals.isEmpty,
            intervals[intervals.count - 1].state == .revoked
        {
            proof = segment.proof.restored(by: closer)
        }
        while segment.to.map({ cursor < $0 }) ?? true {
            let inside = spans.first { $0.contains(cursor) }
            if let inside {
                let until = earlier(inside.to, segment.to)
                emit(
                    .revoked, cursor, until,
                    Proof(inside.opener, reason: inside.familyRevokeFact), index,
                    inside.isFamilyRevoke ? .familyRevoke : .refund)
                guard let until else { return }
                cursor = until
                if inside.to == until, let closer = inside.closer {
                    proof = segment.proof.restored(by: closer)
                }
            } else {
                let nextSpan = spans.lazy.map(\.from).filter { $0 > cursor }.min()
                let until = earlier(nextSpan, segment.to)
                emit(segment.state, cursor, until, proof, index, endReason(segment.state, reason))
                guard let until else { return }
                cursor = until
                proof = segment.proof
            }
        }
    }

    private func earlier(_ left: Timestamp?, _ right: Timestamp?) -> Timestamp? {
        guard let left else { return right }
        return right.map { min(left, $0) } ?? left
    }

    private func endReason(_ state: ChainState, _ reason: EndReason?) -> EndReason? {
        switch state {
        case .billingRetry: .billing
        case .expired: reason ?? .unconfirmed
        default: nil
        }
    }

    /// Appends an interval, merging it with the previous one if only the boundary differs.
    private mutating func emit(
        _ state: ChainState, _ from: Timestamp, _ to: Timestamp?, _ proof: Proof, _ period: Int,
        _ reason: EndReason?
    ) {
        let last = intervals.count - 1
        if last >= 0, intervals[last].state == state, intervals[last].period == period,
            intervals[last].to == from
        {
            intervals[last].to = to
            return
        }
        let best = facts[periods[period].bestFact].statedTransaction
        intervals.append(
            Interval(
                state: state, from: from, to: to, productId: best?.productId,
                transactionId: periods[period].transactionId, period: period, proof: proof,
                reason: reason))
    }
}
