import AppStore

/// Refunds, their reversal, and the loss of family copies.
extension LifeWriter {
    mutating func performRevocation(_ act: Act, at moment: Timestamp) {
        switch act {
        case .refundOld: refundOld(at: moment, status: .active)
        case .revokeFamily:
            book(.familyRevoke, from: moment, reason: .familyRevoke)
            notify(.revoke, at: moment, status: .revoked)
        case .refundAndCancel:
            // Two notifications of one millisecond; in one, the transaction is not revoked yet.
            renewal.willRenew = false
            notify(
                .didChangeRenewalStatus, .autoRenewDisabled, at: moment, status: .active,
                isExact: true)
            refund(from: moment, signedAt: moment, isExact: true)
        case .reverseRefund: reverseRefund(at: moment, status: .active)
        case .redateRefund: redateRefund(at: moment)
        case .repurchase, .reshare: resubscribe(at: moment)
        case .reshareSame:
            periods[current].revocation = nil
            truth.reinstate(current, at: moment)
            notify(.subscribed, .resubscribe, at: moment, status: .active)
        default:
            let since = moment.milliseconds(since: currentPeriod.start)
            let before = random.within(0...max(0, min(Pace.hour, since / 2)))
            refund(from: moment.advanced(byMilliseconds: -before), signedAt: moment)
        }
    }

    /// Records a revocation of the current period.
    private mutating func book(
        _ type: RevocationType, from moment: Timestamp, reason: TrueReason, of index: Int? = nil
    ) {
        let index = index ?? current
        let isRefund = type != .familyRevoke
        let isProrated = isRefund && random.chance(30)
        periods[index].revocation = SimulatedRevocation(
            date: moment,
            reason: isRefund && random.chance(30)
                ? .refundedDueToIssue : .refundedForOtherReason,
            type: isProrated ? .refundProrated : type,
            percentage: isRefund ? (isProrated ? 67_932 : 100_000) : nil)
        truth.revoke(index, from: moment, reason: reason)
    }

    /// Of a family copy it is no refund: its holder loses access (`Lifecycle.md` §2 rule 3).
    mutating func refund(
        from date: Timestamp, signedAt moment: Timestamp, isExact: Bool = false
    ) {
        book(.refundFull, from: date, reason: traits.isFamilyShared ? .familyRevoke : .refund)
        let stamp = notify(.refund, at: moment, status: .revoked, isExact: isExact)
        refunds.append(RefundRecord(period: current, refund: stamp.ordinal))
    }

    /// A refund of a past period: money, but no change of state (`Lifecycle.md` §2 rule 6).
    mutating func refundOld(at moment: Timestamp, status: SubscriptionStatus) {
        let old = periods.indices.dropLast().filter { index in
            periods[index].revocation == nil && !periods[index].isUpgraded
        }
        guard !old.isEmpty else { return }
        let index = random.pick(old)
        book(.refundFull, from: moment, reason: .refund, of: index)
        let stamp = notify(.refund, at: moment, status: status, about: index)
        refunds.append(RefundRecord(period: index, refund: stamp.ordinal))
        guard random.chance(30) else { return }
        let reversed = now.advanced(byMilliseconds: 3000)
        periods[index].revocation = nil
        truth.reinstate(index, at: reversed)
        notify(.refundReversed, at: reversed, status: status, about: index)
    }

    mutating func reverseRefund(at moment: Timestamp, status: SubscriptionStatus) {
        periods[current].revocation = nil
        truth.reinstate(current, at: moment)
        let stamp = notify(.refundReversed, at: moment, status: status)
        if let last = refunds.lastIndex(where: { $0.period == current }) {
            refunds[last].reversal = stamp.ordinal
        }
    }

    /// Apple changes the date of the current refund.
    private mutating func redateRefund(at moment: Timestamp) {
        guard let old = currentPeriod.revocation else { return }
        let since = moment.milliseconds(since: currentPeriod.start)
        let date = currentPeriod.start.advanced(
            byMilliseconds: random.within(min(1000, since)...since))
        periods[current].revocation = SimulatedRevocation(
            date: date, reason: old.reason, type: old.type, percentage: old.percentage)
        truth.redate(current, to: date)
        notify(.refund, at: moment, status: .revoked)
    }
}
