import AppStore

extension OccurrenceReader {
    /// Whether the chain is active just before each moment, paid, and set to cancel, by the
    /// customer's decision about the next period or about the whole commitment.
    mutating func readActive(before moments: ArraySlice<Timestamp>) {
        guard !history.isOneTime else { return }
        for moment in moments {
            let last = moment.advanced(byMilliseconds: -1)
            guard let index = history.interval(at: last) else { continue }
            let interval = history.intervals[index]
            guard interval.state.isEntitled, let period = period(interval), period.isCounted else {
                continue
            }
            let answer = life.answer(at: last, now: limit)
            let isSetToCancel =
                answer?.willRenew == false || answer?.commitment?.willRenew == false
            add(
                [
                    "active": 1, "activePaid": period.isTrial ? 0 : 1,
                    "setToCancel": isSetToCancel ? 1 : 0,
                ], at: last, period, cause: history.facts[interval.cause].position)
        }
    }

    /// The first period ever, which is unknown for an adopted customer.
    mutating func readStart() {
        guard !history.isOneTime, !life.isAdopted, let first = periods.first,
            first.index == 0, first.isCounted
        else { return }
        add(
            ["starts": 1, first.isTrial ? "trialStarts" : "paidStarts": 1], at: first.start, first)
    }

    /// A trial is pending while it governs with access or in billing retry; it converted if the
    /// next period of the same run is paid.
    mutating func readTrials() {
        guard !history.isOneTime else { return }
        let current = history.interval(at: limit).map { history.intervals[$0] }
        for trial in periods where trial.isTrial && trial.isCounted && !trial.isReplaced {
            if let current, current.period == trial.index,
                current.state.isEntitled || current.state == .billingRetry
            {
                add(["trials": 1, "pending": 1], at: trial.start, trial)
                continue
            }
            let next = periods.first { $0.index > trial.index && !$0.isReplaced }
            let isPaid = next.map { next in
                next.start <= limit && next.isCounted && !next.isTrial && continuesRun(next)
            }
            add(
                ["trials": 1, "ended": 1, "converted": isPaid == true ? 1 : 0], at: trial.start,
                trial)
        }
    }

    /// Renewals with a price above 0, by their purchase; those after a failure are also
    /// `recovered`. Without a stated price it is unknown; they are counted separately.
    mutating func readRenewals() {
        guard !history.isOneTime else { return }
        for period in periods where period.isCounted && period.isRenewal && period.isPurchase {
            guard period.price != nil else {
                add(["unpriced": 1], at: period.purchase, period)
                continue
            }
            let state = history.state(at: period.start.advanced(byMilliseconds: -1))
            let isRecovered = state == .billingRetry || state == .grace
            add(
                ["renewals": 1, "recovered": isRecovered ? 1 : 0], at: period.purchase, period)
        }
    }

    /// New runs after `expired` or `revoked`, with the days since access ended.
    mutating func readReactivations() {
        let intervals = history.intervals
        var lost: Timestamp?
        for index in intervals.indices where !history.isOneTime {
            let interval = intervals[index]
            if index > 0, intervals[index - 1].state.isEntitled, !interval.state.isEntitled {
                lost = interval.from
            }
            guard index > 0, interval.state.isEntitled, let lost, let period = period(interval),
                period.isCounted
            else { continue }
            let (before, isSame) = (
                intervals[index - 1].state, intervals[index - 1].period == interval.period
            )
            guard before == .expired || (before == .revoked && !isSame) else { continue }
            var amounts: [String: Int64] = ["reactivated": 1]
            let away = DayBucket.days(interval.from.milliseconds(since: lost))
            if let bucket = DayBucket.away.first(where: { $0.contains(away) }) {
                amounts["away.\(bucket.name)"] = 1
            }
            add(
                amounts, at: interval.from, period,
                cause: history.facts[interval.cause].position)
        }
    }

    /// The chain in the cohort of its first paid period: the paid periods it reached, and those it
    /// could have reached by now.
    mutating func readRetention() {
        guard !life.isAdopted else { return }
        let known = paid.filter { $0.start < limit && !$0.isReplaced }
        guard let first = known.first, let last = known.last else { return }
        // A free period that continues the run delays what would have followed.
        var newest = last
        for period in periods where period.index > last.index && period.isCounted {
            guard period.start < limit, continuesRun(period) else { break }
            newest = period
        }
        let length = lengthToFollow(newest, known) ?? last.period?.length
        var amounts: [String: Int64] = ["cohort": 1]
        for step in 2...MetricSteps.count {
            let isReached = known.count >= step
            if isReached { amounts["step.\(step).reached"] = 1 }
            if isReached
                || hadChance(
                    of: step, after: known.count, newest.end,
                    length ?? ISO8601Period(seconds: 1))
            {
                amounts["step.\(step).chance"] = 1
            }
        }
        add(amounts, at: first.start, first)
    }

    /// The length of the periods that would have followed the newest one: the product's, since what
    /// is paid up front, or free, is followed by ordinary periods.
    private func lengthToFollow(
        _ newest: CountedPeriod, _ paid: [CountedPeriod]
    ) -> ISO8601Period? {
        let stated = history.facts[history.periods[newest.index].bestFact].statedTransaction
        if stated?.billingPlanType?.value == .monthly { return ISO8601Period(months: 1) }
        return newest.values.product.flatMap { catalogue.products[$0]?.period }
            ?? paid.last { $0.values.offer?.discountType?.value != .payUpFront }?.period?.length
    }

    /// Whether a further paid period could have begun by now if every period had followed the one
    /// before.
    private func hadChance(
        of step: Int, after count: Int, _ end: Timestamp, _ length: ISO8601Period
    ) -> Bool {
        var next = end
        for _ in 0..<(step - count - 1) {
            guard next <= limit else { return false }
            next = length.adding(to: next)
        }
        return next <= limit
    }
}
