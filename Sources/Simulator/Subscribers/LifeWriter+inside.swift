import AppStore

/// Actions of customer and Apple during a period.
extension LifeWriter {
    enum Act: Sendable {
        case cancel, uncancel, downgrade, cancelDowngrade, upgrade, crossgradeNow, crossgradeLater
        case redeemOffer, offerUpgrade, offerDowngrade, raisePrice, acceptPrice, refusePrice
        case extendExpiry, extendRenewal, failExtension, restore, query, upload, note
        case refund, refundAndCancel, refundOld, declineRefund, requestConsumption
        case revokeFamily, cancelCommitment
        case reverseRefund, redateRefund, repurchase, reshare, reshareSame
    }

    /// Continues to shortly before the end of the current period. True when the customer has
    /// started another period meanwhile.
    mutating func liveInside() -> Bool {
        let period = current
        for _ in 0..<random.below(4) {
            guard let moment = momentInside() else { break }
            guard let act = nextAct() else { continue }
            perform(act, at: moment)
            if current != period { return true }
        }
        return false
    }

    /// A time in the first seven tenths of the period; nil when they are over.
    private mutating func momentInside() -> Timestamp? {
        let period = currentPeriod
        let last = period.start.advanced(byMilliseconds: period.length / 10 * 7)
        let first = max(now, period.start).advanced(byMilliseconds: 3000)
        guard first < last else { return nil }
        return first.advanced(
            byMilliseconds: random.within(0...last.milliseconds(since: first) / 2))
    }

    private mutating func nextAct() -> Act? {
        var acts: [(Act, Int)] = [(.query, 6), (.upload, 4)]
        if isRevoked { return nextActWhenRevoked() }
        let isOn = renewal.willRenew
        let isPending = renewal.priceIncrease == .customerHasNotResponded
        let hasChange = renewal.nextProduct != currentPeriod.product
        acts.append((.note, 4))
        if isOn { acts.append((.cancel, 14)) }
        if !isOn, !isPending { acts.append((.uncancel, 20)) }
        if traits.lineItems == .unique { acts.append((.restore, 5)) }
        if currentPeriod.offer?.phase != .trial, !traits.isFamilyShared {
            acts += [(.extendExpiry, 4), (.extendRenewal, 4), (.failExtension, 2)]
        }
        if traits.isFamilyShared {
            acts.append((.revokeFamily, 15))
        } else {
            acts += [(.refund, 8), (.refundAndCancel, 3), (.declineRefund, 3)]
            acts.append((.requestConsumption, 3))
            if current > 0 { acts.append((.refundOld, 6)) }
            if isOn, renewal.priceIncrease == nil { acts.append((.raisePrice, 10)) }
            if isOn, isPending { acts += [(.acceptPrice, 25), (.refusePrice, 10)] }
        }
        if traits.isCommitment {
            if renewal.commitmentWillRenew { acts.append((.cancelCommitment, 10)) }
            return random.pick(weighted: acts)
        }
        acts += [(.upgrade, 7), (.crossgradeNow, 5), (.offerUpgrade, 3)]
        if isOn, !hasChange {
            acts += [(.downgrade, 8), (.crossgradeLater, 6), (.offerDowngrade, 3)]
            acts.append((.redeemOffer, 5))
        }
        if isOn, hasChange { acts.append((.cancelDowngrade, 15)) }
        return random.pick(weighted: acts)
    }

    private mutating func nextActWhenRevoked() -> Act {
        guard !traits.isFamilyShared else {
            return random.pick([.query, .reshare, .reshareSame])
        }
        return random.pick(
            weighted: [(.query, 2), (.reverseRefund, 5), (.redateRefund, 2), (.repurchase, 3)])
    }

    private mutating func perform(_ act: Act, at moment: Timestamp) {
        switch act {
        case .cancel, .uncancel, .refusePrice, .cancelCommitment: changeRenewal(act, at: moment)
        case .downgrade, .crossgradeLater, .offerDowngrade, .cancelDowngrade, .redeemOffer:
            changeNext(act, at: moment)
        case .upgrade, .crossgradeNow, .offerUpgrade: changeProduct(act, at: moment)
        case .raisePrice, .acceptPrice: changePrice(act, at: moment)
        case .extendExpiry, .extendRenewal: extend(act, at: moment)
        case .restore: restore(at: moment)
        case .query: sendPair(at: moment, status: isRevoked ? .revoked : .active)
        case .upload: sendTransaction(current, at: moment)
        // Notifications without a change of state.
        case .failExtension: notify(.renewalExtension, .failure, at: moment, status: .active)
        case .declineRefund: notify(.refundDeclined, at: moment, status: .active)
        case .requestConsumption: notify(.consumptionRequest, at: moment, status: .active)
        case .note:
            let type = random.pick([NotificationType.metadataUpdate, .migration, .priceChange])
            notify(type, at: moment, status: .active)
        case .refund, .refundAndCancel, .refundOld, .revokeFamily, .reverseRefund, .redateRefund,
            .repurchase, .reshare, .reshareSame:
            performRevocation(act, at: moment)
        }
    }

    private mutating func changeRenewal(_ act: Act, at moment: Timestamp) {
        switch act {
        case .uncancel:
            renewal.willRenew = true
            notify(.didChangeRenewalStatus, .autoRenewEnabled, at: moment, status: .active)
        case .refusePrice:
            renewal.willRenew = false
            notify(.didChangeRenewalStatus, at: moment, status: .active)
        case .cancelCommitment:
            renewal.commitmentWillRenew = false
            notify(.didChangeRenewalStatus, .autoRenewDisabled, at: moment, status: .active)
        default:
            renewal.willRenew = false
            notify(.didChangeRenewalStatus, .autoRenewDisabled, at: moment, status: .active)
        }
    }

    /// Changes to the next renewal.
    private mutating func changeNext(_ act: Act, at moment: Timestamp) {
        let own = currentPeriod.product
        switch act {
        case .cancelDowngrade:
            renewal.nextProduct = own
            renewal.nextOffer = nil
            notify(.didChangeRenewalPref, at: moment, status: .active)
        case .redeemOffer:
            let type = random.pick([OfferType.promotionalOffer, .offerCode])
            renewal.nextOffer = .offer(type, on: own, &random)
            notify(.offerRedeemed, at: moment, status: .active)
        default:
            let isCrossgrade = act == .crossgradeLater
            let others = SimulatedProduct.renewable.filter { other in
                let (level, ownLevel) = (other.level ?? 0, own.level ?? 0)
                return isCrossgrade
                    ? level == ownLevel && other.period != own.period : level > ownLevel
            }
            guard !others.isEmpty else { return }
            renewal.nextProduct = random.pick(others)
            if act == .offerDowngrade {
                renewal.nextOffer = .offer(.promotionalOffer, on: renewal.nextProduct, &random)
            }
            notify(
                act == .offerDowngrade ? .offerRedeemed : .didChangeRenewalPref, .downgrade,
                at: moment, status: .active)
        }
    }

    /// Immediate changes of the product.
    private mutating func changeProduct(_ act: Act, at moment: Timestamp) {
        let own = currentPeriod.product
        let others =
            act == .crossgradeNow
            ? SimulatedProduct.renewable.filter { other in
                other.level == own.level && other.period == own.period && other != own
            } : SimulatedProduct.above(own)
        guard !others.isEmpty else { return }
        let product = random.pick(others)
        let offer: SimulatedOffer? =
            act == .offerUpgrade ? .offer(.promotionalOffer, on: product, &random) : nil
        changeNow(to: product, offer: offer, at: moment)
    }

    private mutating func changePrice(_ act: Act, at moment: Timestamp) {
        let needsConsent = act == .raisePrice && random.chance(70)
        renewal.priceIncrease =
            needsConsent
            ? .customerHasNotResponded : .customerConsentedOrWasNotifiedWithoutNeedingConsent
        notify(
            .priceIncrease, needsConsent ? .pending : .accepted, at: moment, status: .active)
    }

    /// A later end, in one of the two forms Apple may send.
    private mutating func extend(_ act: Act, at moment: Timestamp) {
        let old = currentPeriod.statedEnd
        let longer =
            traits.pace == .calendar
            ? random.within(1...30) * Pace.day : currentPeriod.length / 4
        let end = end.advanced(byMilliseconds: longer)
        periods[current].end = end
        if act == .extendExpiry { periods[current].statedEnd = end }
        setAnchor(end, anchorPeriod)
        notify(.renewalExtended, at: moment, status: .active)
        guard act == .extendExpiry, random.chance(40) else { return }
        periods[current].statedEnd = old
        sendTransaction(current, at: now.advanced(byMilliseconds: 2500))
        periods[current].statedEnd = end
    }

    /// The same period, bought once, under another transactionId (`Lifecycle.md` §2 rule 2).
    private mutating func restore(at moment: Timestamp) {
        let id = newTransactionId()
        periods[current].transactionIds.append(id)
        periods[current].restoredAt =
            moment < currentPeriod.statedEnd && random.chance(50) ? moment : nil
        sendTransaction(current, as: id, at: moment)
    }
}
