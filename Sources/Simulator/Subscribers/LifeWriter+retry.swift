import AppStore

/// Exits of billing retry.
extension LifeWriter {
    mutating func leaveRetry(_ failure: Failure) -> Bool {
        var failure = failure
        let exit = random.pick(
            weighted: [
                (Exit.recover, 40), (.cancel, 14), (.timeOut, 30), (.purchase, 8), (.silent, 8),
            ])
        queryInRetry(&failure)
        switch exit {
        case .recover, .retry:
            recoverInRetry(failure)
            return true
        case .cancel:
            return cancelWhileFailing(failure, before: failure.cap)
        case .timeOut: return timeOut(failure)
        case .purchase:
            let start = moment(failure, before: failure.cap)
            if failure.isLone {
                // Without the notice nothing states a failure: expired, then purchased again.
                lose(
                    .failureBeforeExpiry, [failure.notice.ordinal],
                    [
                        .meaning(
                            failure.mark, .state(.expired),
                            statements.last { $0.ordinal < failure.notice.ordinal }?.reason)
                    ])
            }
            resubscribe(at: start)
            return true
        case .silent:
            truth.begin(
                .state(.expired), at: max(failure.cap, failure.newestFailing), period: current,
                reason: statements.last?.reason)
            return false
        }
    }

    private mutating func moment(_ failure: Failure, before limit: Timestamp) -> Timestamp {
        let first = max(now, failure.end).advanced(byMilliseconds: 3000)
        let room = limit.milliseconds(since: first)
        return first.advanced(byMilliseconds: room > 9000 ? random.within(0...room - 6000) : 0)
    }

    private mutating func queryInRetry(_ failure: inout Failure) {
        guard queryWhileFailing(&failure, before: failure.cap, status: .billingRetry),
            random.chance(30)
        else { return }
        // Auto-renew off and on again while Apple retries: billing retry is uninterrupted.
        let changed = now.advanced(byMilliseconds: 3000)
        renewal.willRenew = false
        renewal.intent = .customerCancelled
        renewal.isInBillingRetry = false
        notify(.didChangeRenewalStatus, .autoRenewDisabled, at: changed, status: .expired)
        renewal.willRenew = true
        renewal.intent = .billingError
        renewal.isInBillingRetry = true
        failure.newestFailing =
            notify(
                .didChangeRenewalStatus, .autoRenewEnabled, at: now.advanced(byMilliseconds: 3000),
                status: .billingRetry
            ).signed
    }

    /// Paid in retry: a new period from the time of payment, which becomes the anchor.
    private mutating func recoverInRetry(_ failure: Failure) {
        var start = moment(failure, before: failure.cap)
        if random.chance(8) {
            let length = failure.cap.milliseconds(since: failure.end)
            start = max(start, failure.cap).advanced(
                byMilliseconds: random.within(1000...length / 20))
        }
        let early: Int64 = 33_000
        let isSignedFirst =
            traits.pace == .calendar && random.chance(15)
            && start.milliseconds(since: max(now, failure.end)) > early + 3000
        let signed = start.advanced(byMilliseconds: isSignedFirst ? -early : 1500)
        openRenewal(start: start)
        periods[current].isRecovery = true
        notify(.didRenew, .billingRecovery, at: signed, status: .active)
        guard failure.isLone else { return }
        lose(.failureBeforeRecovery, [failure.notice.ordinal])
    }

    /// Apple gives up: EXPIRED ends it when signed, a little before or after the window.
    private mutating func timeOut(_ failure: Failure) -> Bool {
        let window = failure.cap.milliseconds(since: failure.end)
        let offset = random.within(-window / 100...window / 20)
        let moment = max(
            failure.cap.advanced(byMilliseconds: offset), now.advanced(byMilliseconds: 3000))
        renewal.isInBillingRetry = false
        renewal.graceEnd = nil
        let guess = statements.last?.reason
        let stamp = notify(.expired, .billingRetry, at: moment, status: .expired)
        let mark = truth.begin(
            .state(.expired), at: stamp.signed, period: current, reason: .billing)
        noteLoneFailure(failure, .billing)
        let cap = max(failure.cap, failure.newestFailing)
        guard random.chance(25) else {
            lose(.expiredAfterRetry, [stamp.ordinal], [.postpone(mark, cap, guess)])
            return resubscribeLater()
        }
        // Without EXPIRED a status proves only that it was over by then.
        let queried = sendPair(
            at: now.advanced(byMilliseconds: random.within(5000...max(5000, window / 60))),
            status: .expired)
        lose(
            .expiredAfterRetryThenAsked, [stamp.ordinal],
            [.postpone(mark, min(cap, queried.signed), .billing)])
        return resubscribeLater()
    }

    /// The customer disables auto-renew while payment is failing: over at once
    /// (`Lifecycle.md` §2).
    mutating func cancelWhileFailing(_ failure: Failure, before limit: Timestamp) -> Bool {
        let moment = moment(failure, before: limit)
        renewal.willRenew = false
        renewal.intent = .customerCancelled
        renewal.isInBillingRetry = false
        if random.chance(70) { renewal.graceEnd = nil }
        guard random.chance(60) else {
            let stamp = notify(.expired, .voluntary, at: moment, status: .expired)
            truth.begin(.state(.expired), at: stamp.signed, period: current, reason: .voluntary)
            noteLoneFailure(failure, .voluntary)
            return resubscribeLater()
        }
        let change = notify(
            .didChangeRenewalStatus, .autoRenewDisabled, at: moment, status: .expired)
        truth.begin(.state(.expired), at: change.signed, period: current, reason: .voluntary)
        let stamp = notify(
            .expired, .voluntary, at: now.advanced(byMilliseconds: 3000 + shortly()),
            status: .expired)
        lose(.expiredAfterCancellation, [stamp.ordinal])
        noteLoneFailure(failure, .voluntary)
        return resubscribeLater()
    }

    /// Without its only notice there is no failure: over from the period's end.
    private mutating func noteLoneFailure(_ failure: Failure, _ reason: TrueReason) {
        guard failure.isLone, failure.graceEnd == nil else { return }
        lose(
            .failureBeforeExpiry, [failure.notice.ordinal],
            [.meaning(failure.mark, .state(.expired), reason)])
    }
}
