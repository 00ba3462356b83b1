import AppStore

/// Payment failures: grace, billing retry, and their exits (`Lifecycle.md` §2 rule 5).
extension LifeWriter {
    /// An open payment failure.
    struct Failure: Sendable {
        let end: Timestamp
        /// When Apple stops retrying.
        let cap: Timestamp
        let notice: Stamp
        /// The end of grace in Apple's books; nil without grace.
        let graceEnd: Timestamp?
        let isDated: Bool
        var mark: Int
        /// The newest fact stating that payment is failing.
        var newestFailing: Timestamp
        /// Whether only the first notice has stated it.
        var isLone = true
    }

    enum Exit: Sendable {
        case recover, retry, cancel, timeOut, purchase, silent
    }

    /// False when the life is over.
    mutating func fail() -> Bool {
        let end = end
        let earliest = end.advanced(byMilliseconds: -lead / 10 * 9)
        let isEarly = random.chance(35) && now.advanced(byMilliseconds: 4000) < earliest
        let moment =
            isEarly
            ? earliest.advanced(byMilliseconds: random.within(0...lead / 2))
            : max(end, now).advanced(byMilliseconds: min(shortly(), nextLength / 10))
        renewal.intent = .billingError
        renewal.isInBillingRetry = true
        if isEarly, random.chance(20) {
            recoverBeforeEnd(failedAt: moment)
            return true
        }
        let window = traits.pace.retryWindow(
            isCommitment: traits.isCommitment, length: currentPeriod.length)
        let grace = random.chance(60) ? graceLength() : nil
        let graceEnd = grace.map { end.advanced(byMilliseconds: $0) }
        let isDated = grace != nil && random.chance(88)
        if isDated { renewal.graceEnd = graceEnd }
        if grace != nil, random.chance(25) {
            renewal.isInBillingRetry = false
        }
        let status: SubscriptionStatus =
            isEarly ? .active : grace == nil ? .billingRetry : .billingGracePeriod
        let notice = notify(
            .didFailToRenew, grace == nil ? nil : .gracePeriod, at: moment, status: status)
        let state: TrueState = grace == nil ? .billingRetry : .grace
        let mark = truth.begin(
            .state(state), at: end, period: current, reason: grace == nil ? .billing : nil)
        let failure = Failure(
            end: end, cap: end.advanced(byMilliseconds: window), notice: notice,
            graceEnd: graceEnd, isDated: isDated, mark: mark, newestFailing: notice.signed)
        return grace == nil ? leaveRetry(failure) : leaveGrace(failure)
    }

    private var nextLength: Int64 {
        let period = renewal.nextOffer?.period ?? renewal.nextProduct.period ?? ISO8601Period()
        return traits.pace.end(of: period, count: 1, from: end).milliseconds(since: end)
    }

    /// 3, 16 or 28 days; at most 6 for weekly products; half a period in the sandbox.
    private mutating func graceLength() -> Int64 {
        guard traits.pace == .calendar else { return currentPeriod.length / 2 }
        let isShort = currentPeriod.length <= 8 * Pace.day
        return random.pick(isShort ? [3, 6] : [3, 16, 28]) * Pace.day
    }

    /// A time after the newest signature and `from`, a little before `limit`.
    private mutating func moment(from: Timestamp, before limit: Timestamp) -> Timestamp {
        let first = max(now, from).advanced(byMilliseconds: 3000)
        let last = limit.advanced(byMilliseconds: -3000)
        guard first < last else { return first }
        return first.advanced(byMilliseconds: random.within(0...last.milliseconds(since: first)))
    }

    private mutating func recoverBeforeEnd(failedAt moment: Timestamp) {
        notify(.didFailToRenew, at: moment, status: .active)
        let paid = self.moment(from: moment, before: end)
        openRenewal(start: end)
        periods[current].isRecovery = true
        notify(.didRenew, .billingRecovery, at: paid, status: .active)
    }

    /// Occasionally the status is queried while payment is failing. True if so.
    @discardableResult
    mutating func queryWhileFailing(
        _ failure: inout Failure, before limit: Timestamp, status: SubscriptionStatus
    ) -> Bool {
        guard random.chance(20) else { return false }
        let first = max(now, failure.end).advanced(byMilliseconds: 3000)
        let room = limit.milliseconds(since: first)
        guard room > 20_000 else { return false }
        let queried = first.advanced(byMilliseconds: random.within(0...room / 3))
        note(&failure, at: queried, status: status)
        return true
    }

    /// Signs something while payment is failing: a response to a query, or a notification about
    /// something else.
    mutating func note(
        _ failure: inout Failure, at moment: Timestamp, status: SubscriptionStatus
    ) {
        let stamp: Stamp
        if random.chance(60) {
            stamp = sendPair(at: moment, status: status)
        } else {
            stamp = notify(.metadataUpdate, at: moment, status: status)
        }
        failure.newestFailing = stamp.signed
        failure.isLone = false
    }

    private mutating func leaveGrace(_ failure: Failure) -> Bool {
        var failure = failure
        guard let graceEnd = failure.graceEnd else { return leaveRetry(failure) }
        // Grace without a date lasts only as long as facts state it, so it ends only in retry.
        let exit =
            failure.isDated
            ? random.pick(weighted: [
                (Exit.recover, 45), (.cancel, 12), (.purchase, 5), (.retry, 38),
            ])
            : .retry
        let half = failure.end.advanced(byMilliseconds: nextLength / 2)
        let limit = exit == .recover ? min(graceEnd, half) : graceEnd
        queryWhileFailing(&failure, before: limit, status: .billingGracePeriod)
        switch exit {
        case .recover:
            recoverInGrace(failure, before: limit)
            return true
        case .cancel:
            return cancelWhileFailing(failure, before: limit)
        case .purchase:
            let start = moment(from: failure.end, before: limit)
            open(currentPeriod.product, start: start, reason: .purchase)
            notify(
                .didChangeRenewalPref, .upgrade, at: start.advanced(byMilliseconds: 1000),
                status: .active)
            return true
        case .retry, .timeOut, .silent:
            enterRetry(&failure, at: graceEnd)
            return leaveRetry(failure)
        }
    }

    /// Paid within grace: the next period starts where the old one ended, as without a failure.
    private mutating func recoverInGrace(_ failure: Failure, before limit: Timestamp) {
        let paid = moment(from: failure.end, before: limit)
        openRenewal(start: failure.end, countsFrom: paid)
        periods[current].isRecovery = true
        notify(.didRenew, .billingRecovery, at: paid, status: .active)
        guard failure.isLone else { return }
        lose(
            .graceBeforeRecovery, [failure.notice.ordinal],
            [.strike(failure.mark), .from(failure.mark + 1, failure.end)])
    }

    /// Grace ends, retry continues, GRACE_PERIOD_EXPIRED is sent.
    private mutating func enterRetry(_ failure: inout Failure, at graceEnd: Timestamp) {
        renewal.isInBillingRetry = true
        let lingers = failure.isDated && random.chance(40)
        if !lingers { renewal.graceEnd = nil }
        let moment = max(graceEnd, now).advanced(byMilliseconds: shortly())
        let stamp = notify(.gracePeriodExpired, at: moment, status: .billingRetry)
        let three = failure.end.advanced(byMilliseconds: 3 * Pace.day)
        let over = failure.isDated ? graceEnd : min(three, stamp.signed)
        if failure.isLone {
            lose(
                .graceBeforeGraceExpired, [failure.notice.ordinal],
                lingers ? [] : [.meaning(failure.mark, .state(.billingRetry), .billing)])
        }
        if failure.isDated {
            lose(.graceExpired, [stamp.ordinal])
        }
        failure.mark = truth.begin(
            .state(.billingRetry), at: over, period: current, reason: .billing)
        failure.newestFailing = stamp.signed
        failure.isLone = false
    }
}
