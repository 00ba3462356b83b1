import AppStore

/// Evaluates rules 5 to 7 of `Lifecycle.md` §2, period by period.
struct HistoryReader {
    let facts: OrderedFacts
    let catalogue: Catalogue
    let records: [TransactionRecord]
    private(set) var periods: [Period]
    private(set) var after: [AfterPeriod?]
    private(set) var subjects: RenewalSubjects
    private(set) var intervals: [Interval] = []
    /// The histories of each rank combined with higher ones, computed on first use.
    private var higherRanks: [Trust: History] = [:]

    /// Rules 2 to 4.
    init(_ facts: OrderedFacts, _ catalogue: Catalogue) {
        self.facts = facts
        self.catalogue = catalogue
        records = TransactionRecord.records(of: facts)
        periods = Period.periods(of: records, facts)
        after = Array(repeating: nil, count: periods.count)
        subjects = RenewalSubjects(facts, periods)
        // One per period, and the end of the last.
        intervals.reserveCapacity(periods.count + 3)
    }

    mutating func readPeriods() {
        let recoveries = facts.recoveries
        for index in periods.indices {
            after[index] = stateAfter(index, recoveries)
            // The kept anchor delays the next period.
            if index + 1 < periods.count, periods[index + 1].start <= periods[index].end,
                let until = after[index]?.segments.last?.to
            {
                periods[index + 1].countsFrom = until
            }
        }
        readHistoryStarts()
        readEarlyRevocations()
        let governsUntil = governsUntil()
        for index in periods.indices {
            subjects.append(beginsRun: beginsRun(index))
            readTime(of: index, until: governsUntil[index])
        }
    }

    mutating func readOneTimePurchases() {
        let purchases = OneTimePurchase.purchases(records, facts, catalogue)
        periods = purchases.map(\.period)
        after = Array(repeating: nil, count: periods.count)
        let times = Set(purchases.flatMap(\.times)).sorted()
        for (place, from) in times.enumerated() {
            let begun = purchases.indices.filter { purchases[$0].segment(at: from) != nil }
            let inForce = begun.last { purchases[$0].isInForce(at: from) }
            guard let index = inForce ?? intervals.last?.period ?? begun.last,
                var segment = purchases[index].segment(at: from)
            else { continue }
            segment.from = from
            segment.to = place + 1 < times.count ? times[place + 1] : nil
            add(segment, of: index)
        }
    }

    /// Rule 4, for the first period of each rank; after the kept anchors, since a period of a lower
    /// rank that they delay gives no access before.
    private mutating func readHistoryStarts() {
        var highest: Trust?
        for index in periods.indices {
            let trust = facts[periods[index].bestFact].trust
            if let highest, trust <= highest { continue }
            highest = trust
            let before = periods[..<index].last { !$0.isReplaced }
            let start = periods[index].historyStart(after: before, facts)
            // One that was replaced governs only where the history starts with it.
            if periods[index].isReplaced {
                guard start < periods[index].countsFrom else { continue }
                periods[index].isReplaced = false
            }
            periods[index].countsFrom = start
        }
    }

    /// Rule 6: the revocation of a copy before its renewal counts.
    private mutating func readEarlyRevocations() {
        var before: Int?
        for index in periods.indices {
            let next = periods[index]
            if let before, !next.spans.isEmpty,
                facts[next.bestFact].trust >= facts[periods[before].bestFact].trust
            {
                periods[before].addRevocations(of: next)
            }
            if !next.isReplaced { before = index }
        }
    }

    // MARK: Rule 5

    /// The time between a period and the next one, or the kept anchor; nil if there is neither.
    private func stateAfter(
        _ index: Int, _ recoveries: [(fact: Int, id: TransactionId)]
    ) -> AfterPeriod? {
        guard index + 1 < periods.count else {
            return AfterPeriodRule(facts: facts, period: periods[index], nextStart: nil).evaluate()
        }
        let nextStart = periods[index + 1].start
        if nextStart > periods[index].end {
            let found = recoveries.filter { recovery in
                periods[index + 1].contains(transaction: recovery.id, in: records)
            }
            let trust = found.map { facts[$0.fact].trust }.max()
            let recovery = found.first { facts[$0.fact].trust == trust }
            return AfterPeriodRule(
                facts: facts, period: periods[index], nextStart: nextStart,
                statedRecovery: recovery?.fact
            ).evaluate()
        }
        guard nextStart == periods[index].end, periods[index + 1].firstStated > nextStart else {
            return nil
        }
        let following = index + 2 < periods.count ? periods[index + 2].start : nil
        return AfterPeriodRule(facts: facts, period: periods[index], nextStart: nextStart)
            .keptAnchorGrace(periods[index + 1], before: following)
            .map { AfterPeriod(segments: [$0]) }
    }

    // MARK: Rule 6

    /// The end of the time each period governs (rule 6): the earliest time from which any later
    /// period counts. Nil for the last.
    private func governsUntil() -> [Timestamp?] {
        var limits: [Timestamp?] = Array(repeating: nil, count: periods.count)
        for index in periods.indices.dropLast().reversed() {
            limits[index] = earlier(periods[index + 1].countsFrom, limits[index + 1])
        }
        return limits
    }

    /// The time a period governs: the period itself and the time after it.
    private mutating func readTime(of index: Int, until limit: Timestamp?) {
        let from = periods[index].countsFrom
        let own = Segment(
            state: stateOfPeriod(index), from: from, to: earlier(periods[index].end, limit),
            proof: proof(index))
        add(own, of: index)
        guard let after = after[index] else { return }
        var (reason, reasonFact) = (after.reason, nil as Int?)
        if reason == nil { (reason, reasonFact) = subjects.reason(index, facts, periods) }
        for segment in after.segments {
            var governed = segment
            governed.from = max(segment.from, from)
            governed.to = earlier(segment.to, limit)
            if segment.state == .expired, let reasonFact {
                governed.proof.reason = reasonFact
            }
            add(governed, of: index, reason: reason)
        }
    }

    /// Adds an interval, merging it with the previous one if only the boundary differs.
    mutating func add(
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

    // MARK: Rule 7

    private mutating func stateOfPeriod(_ index: Int) -> ChainState {
        if facts.transactionReason(periods[index].bestFact) == .renewal { return .renewing }
        switch stateBefore(index) {
        case .subscribed, .renewing, .grace, .billingRetry: return .renewing
        default: return .subscribed
        }
    }

    /// Whether a period about to be added begins a new run: it follows expired time, or was
    /// bought after revoked time. Outside Production, renewals may begin minutes late.
    private mutating func beginsRun(_ index: Int) -> Bool {
        guard index > 0 else { return true }
        let isRenewal = periods[index].isRenewal(facts)
        switch stateBefore(index) {
        case .revoked: return !isRenewal
        case .expired:
            let gap = periods[index].start.milliseconds(since: periods[index - 1].end)
            let isLate =
                facts.environment != .production && gap <= NoticeLimits.sandboxGapMilliseconds
            return !(isRenewal && isLate)
        default: return false
        }
    }

    /// The state immediately before a period. If a higher rank states a new purchase, earlier time
    /// known only from a lower rank does not make it a renewal.
    private mutating func stateBefore(_ index: Int) -> ChainState? {
        let trust = facts[periods[index].bestFact].trust
        guard let last = intervals.last, facts[periods[last.period].bestFact].trust < trust,
            facts.transactionReason(periods[index].bestFact) == .purchase
        else { return intervals.last?.state }
        let higher =
            higherRanks[trust] ?? History(facts.trusted(from: trust), catalogue: catalogue)
        higherRanks[trust] = higher
        return higher.stateBefore(periods[index])
    }
}

extension Period {
    /// When the first period of a rank counts (rule 4): a renewal from its first statement, or from
    /// the end of the lower rank's period before it, while that gives access.
    func historyStart(after before: Period?, _ facts: OrderedFacts) -> Timestamp {
        guard firstStated < start, facts.transactionReason(bestFact) == .renewal else {
            return countsFrom
        }
        guard let before, before.countsFrom <= firstStated, before.end > firstStated else {
            return firstStated
        }
        let until = min(before.end, start)
        let isRevoked = before.spans.contains { span in
            span.from < until && (span.to.map { $0 > firstStated } ?? true)
        }
        return isRevoked ? firstStated : until
    }
}
