import AppStore

extension OccurrenceReader {
    /// Every start of grace and of billing retry with its outcome: recovered, lost, or still open.
    mutating func readRecoveries() {
        let intervals = history.intervals
        for index in intervals.indices where !history.isOneTime {
            let state = intervals[index].state
            guard state == .grace || state == .billingRetry,
                index == 0 || intervals[index - 1].state != state && !isResumed(index),
                let period = period(intervals[index]), period.isCounted
            else { continue }
            // Only a period ends the stretch as recovered.
            let next = intervals.indices.dropFirst(index + 1).first {
                intervals[$0].state != state && !isResumed($0 + 1)
            }
            add(
                outcome(of: intervals[index], next.map { intervals[$0] }),
                at: intervals[index].from, period,
                cause: history.facts[intervals[index].cause].position)
        }
    }

    /// Whether an interval continues the grace or retry that a refund interrupted, which was
    /// reversed.
    private func isResumed(_ index: Int) -> Bool {
        let intervals = history.intervals
        guard index > 1, index < intervals.count, intervals[index - 1].state == .revoked else {
            return false
        }
        let before = intervals[index - 2]
        return before.state == intervals[index].state && before.period == intervals[index].period
    }

    private func outcome(of entry: Interval, _ next: Interval?) -> [String: Int64] {
        let kind = entry.state.rawValue
        var amounts: [String: Int64] = ["\(kind).entered": 1]
        guard let next, next.from < limit else {
            amounts["\(kind).open"] = 1
            return amounts
        }
        guard next.state.isInPeriod else { return amounts }
        amounts["\(kind).recovered"] = 1
        let length = next.from.milliseconds(since: entry.from)
        for days in RecoveryColumns.days where length <= days * 86_400_000 {
            amounts["\(kind).within\(days)"] = 1
        }
        return amounts
    }

    /// Auto-renew turned off and on, with the days before the period's end and after its start.
    mutating func readAutoRenew() {
        for fact in life.timelineEvents where !history.isOneTime {
            let side: String
            switch fact.name {
            case .autoRenewDisabled: side = "off"
            case .autoRenewEnabled: side = "on"
            default: continue
            }
            guard let period = period(at: fact.at), period.isCounted else { continue }
            var amounts: [String: Int64] = [side: 1]
            let after = DayBucket.days(fact.at.milliseconds(since: period.start))
            if let bucket = DayBucket.timing.first(where: { $0.contains(after) }) {
                amounts["\(side).afterStart.\(bucket.name)"] = 1
            }
            let before = DayBucket.days(period.statedEnd.milliseconds(since: fact.at))
            if fact.at > period.statedEnd {
                amounts["\(side).afterEnd"] = 1
            } else if let bucket = DayBucket.timing.first(where: { $0.contains(before) }) {
                amounts["\(side).beforeEnd.\(bucket.name)"] = 1
            }
            add(amounts, at: fact.at, period, cause: fact.cause)
        }
    }

    /// Product changes, by the catalogue's levels if it has both, and by the length of the periods.
    mutating func readProductChanges() {
        for fact in life.timelineEvents where !history.isOneTime {
            switch fact.name {
            case .upgraded, .downgraded, .crossgraded: break
            default: continue
            }
            guard let to = fact.transactionId.flatMap({ period(of: $0) }), to.isCounted else {
                continue
            }
            var amounts: [String: Int64] = [fact.name.rawValue: 1]
            let from = periods.last { $0.index < to.index && !$0.isReplaced }
            if let old = from?.period?.annualised(CountedPeriod.yardstick),
                let new = to.period?.annualised(CountedPeriod.yardstick), old != new
            {
                // Fewer payments a year mean a longer period.
                amounts[new < old ? "toLonger" : "toShorter"] = 1
            }
            add(amounts, at: fact.at, to, cause: fact.cause)
        }
    }

    private func period(of id: TransactionId) -> CountedPeriod? {
        periods.first { history.periods[$0.index].transactionId == id }
    }
}

extension CountedPeriod {
    /// A price whose annual amounts compare the lengths of periods; no payment.
    static let yardstick: Int64 = 1_000_000
}
