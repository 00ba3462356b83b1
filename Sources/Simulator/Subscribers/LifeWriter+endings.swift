import AppStore

/// Ends of periods, except by payment failure.
extension LifeWriter {
    enum Ending: Sendable {
        case renew, fail, productGone, other, silent
    }

    /// Continues past the end of the current period. False when the life is over.
    mutating func endPeriod() -> Bool {
        if isRevoked { return endRevoked() }
        if renewal.priceIncrease == .customerHasNotResponded {
            return expire(.priceIncrease, .customerDidNotConsentToPriceIncrease, .priceIncrease)
        }
        let isFulfilled =
            currentPeriod.commitmentNumber == currentPeriod.product.commitmentPeriods
        let isCommitmentOver =
            traits.isCommitment && isFulfilled && !renewal.commitmentWillRenew
        let isAtLimit = traits.pace.renewalLimit.map { renewalsInRow >= $0 } ?? false
        if !renewal.willRenew || isCommitmentOver || isAtLimit {
            if !renewal.willRenew, random.chance(10) {
                endSilently()
                return resubscribeLater()
            }
            return expire(.voluntary, .customerCancelled, .voluntary)
        }
        switch random.pick(
            weighted: [
                (Ending.renew, 70), (.fail, 24), (.productGone, 2), (.other, 2), (.silent, 2),
            ])
        {
        case .renew:
            renew()
            return true
        case .fail: return fail()
        case .productGone:
            return expire(.productNotForSale, .productNotAvailable, .productUnavailable)
        case .other: return expire(nil, .other, .other)
        case .silent:
            endSilently()
            return resubscribeLater()
        }
    }

    /// Over at the period's end; EXPIRED follows a little later.
    private mutating func expire(
        _ subtype: Subtype?, _ intent: ExpirationIntent, _ reason: TrueReason
    ) -> Bool {
        let guess = statements.last?.reason
        renewal.intent = intent
        if reason == .voluntary || reason == .priceIncrease { renewal.willRenew = false }
        let mark = truth.begin(.state(.expired), at: end, period: current, reason: reason)
        let stamp = notify(
            .expired, subtype, at: max(end, now).advanced(byMilliseconds: shortly()),
            status: .expired)
        if remarkAfterEnd() { return resubscribeLater() }
        lose(.expiredAfterEnd, [stamp.ordinal], [.meaning(mark, .state(.expired), guess)])
        return resubscribeLater()
    }

    /// The period ends by the clock, without a notification.
    mutating func endSilently() {
        truth.begin(
            .state(.expired), at: end, period: current,
            reason: statements.last?.reason ?? .unconfirmed)
    }

    /// Occasionally sends something about a subscription that is over. True if so.
    private mutating func remarkAfterEnd() -> Bool {
        guard random.chance(25) else { return false }
        let moment = now.advanced(byMilliseconds: 3000 + currentPeriod.length / 10)
        switch random.below(traits.isFamilyShared ? 1 : 4) {
        case 0: sendPair(at: moment, status: .expired)
        case 1 where current > 0: refundOld(at: moment, status: .expired)
        default:
            refund(from: moment, signedAt: moment)
            guard random.chance(50) else { break }
            reverseRefund(at: moment.advanced(byMilliseconds: 3000 + shortly()), status: .expired)
        }
        return true
    }

    /// The end of a revoked period: it changes nothing unless a renewal follows.
    private mutating func endRevoked() -> Bool {
        if renewal.willRenew {
            guard random.chance(70), traits.pace == .calendar else {
                endSilently()
                return resubscribeLater()
            }
            renew()
            return true
        }
        let isAnnounced = random.chance(60)
        let isReversed = !traits.isFamilyShared && random.chance(50)
        truth.begin(
            .state(.expired), at: end, period: current,
            reason: isAnnounced || isReversed ? .voluntary : statements.last?.reason)
        renewal.intent = .customerCancelled
        var moment = max(now, end)
        if isAnnounced {
            moment = moment.advanced(byMilliseconds: shortly())
            notify(.expired, .voluntary, at: moment, status: .revoked)
        }
        if isReversed {
            moment = now.advanced(byMilliseconds: 3000)
            moment = max(moment, end).advanced(byMilliseconds: currentPeriod.length / 10)
            reverseRefund(at: moment, status: .expired)
        }
        return resubscribeLater()
    }

    /// The customer may come back days to more than a year later. False when not.
    mutating func resubscribeLater() -> Bool {
        guard random.chance(60) else { return false }
        let gap: Int64
        if traits.pace == .calendar {
            let days = random.pick(
                weighted: [(1...30 as ClosedRange<Int64>, 50), (31...300, 30), (366...500, 20)])
            gap = random.within(days) * Pace.day
        } else {
            gap = currentPeriod.length * random.within(1...20)
        }
        let soonest = max(now, truth.marks.last?.from ?? now).advanced(byMilliseconds: 5000)
        let start = soonest.advanced(byMilliseconds: gap)
        guard start < world.horizon else { return false }
        resubscribe(at: start)
        return true
    }
}
