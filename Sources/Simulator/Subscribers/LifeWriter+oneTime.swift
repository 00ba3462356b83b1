import AppStore

/// Purchases that do not renew (`Lifecycle.md` §5).
extension LifeWriter {
    mutating func liveOneTime() {
        let product = random.pick(SimulatedProduct.oneTime)
        let start = now
        let id = newTransactionId()
        periods.append(
            SimulatedPeriod(
                product: product, transactionIds: [id], identity: id, webOrderLineItemId: nil,
                start: start, statedEnd: start,
                // Only a time scale for events; the purchase itself has no end.
                end: start.advanced(byMilliseconds: 30 * Pace.day), reason: .purchase,
                offer: nil, commitmentNumber: nil, commitmentEnd: nil))
        truth.begin(
            .state(product.type == .consumable ? .consumed : .owned), at: start, period: 0)
        if let duration = product.duration {
            truth.begin(.state(.lapsed), at: duration.adding(to: start), period: 0)
        }
        let signed = start.advanced(byMilliseconds: 2000)
        if random.chance(70) {
            notify(.oneTimeCharge, at: signed, status: nil)
        } else {
            sendTransaction(0, at: signed)
        }
        for _ in 0..<random.below(4) {
            let moment = now.advanced(byMilliseconds: random.within(Pace.hour...40 * Pace.day))
            continueOneTime(at: moment)
        }
    }

    private mutating func continueOneTime(at moment: Timestamp) {
        guard !isRevoked else {
            reverseRefund(at: moment, status: .active)
            return
        }
        switch random.below(4) {
        case 0 where currentPeriod.product.type == .nonConsumable:
            let id = newTransactionId()
            periods[0].transactionIds.append(id)
            periods[0].restoredAt = moment
            sendTransaction(0, as: id, at: moment)
        case 0, 1: sendTransaction(0, at: moment)
        case 2: notify(.consumptionRequest, at: moment, status: nil)
        default:
            refund(from: moment, signedAt: moment)
        }
    }
}
