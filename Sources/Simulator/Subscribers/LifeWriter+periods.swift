import AppStore

extension LifeWriter {
    /// Adds a period to books and truth; the caller signs.
    ///
    /// - Parameter countsFrom: when it takes effect, if not at its start (`Lifecycle.md` §2 rule 5,
    ///   anchor kept).
    mutating func open(
        _ product: SimulatedProduct, start: Timestamp, reason: TransactionReason,
        offer: SimulatedOffer? = nil, countsFrom: Timestamp? = nil
    ) {
        let length = offer?.period ?? product.period ?? ISO8601Period()
        let end = nextEnd(start, length)
        let id = newTransactionId()
        let commitment = commitment(product, start, reason)
        let period = SimulatedPeriod(
            product: product, transactionIds: [id], identity: id,
            webOrderLineItemId: lineItem(start), start: start, statedEnd: end, end: end,
            reason: reason, offer: offer, commitmentNumber: commitment?.number,
            commitmentEnd: commitment?.end)
        periods.append(period)
        truth.begin(
            .period(traits.statesReason ? reason : nil), at: countsFrom ?? start, period: current)
        renewal.nextProduct = product
        renewal.nextOffer = nil
        renewal.intent = nil
        renewal.isInBillingRetry = traits.statesStatus ? false : nil
        renewal.graceEnd = nil
        renewal.priceIncrease = nil
        renewal.willRenew = true
        renewalsInRow = reason == .renewal ? renewalsInRow + 1 : 0
    }

    private mutating func lineItem(_ start: Timestamp) -> WebOrderLineItemId? {
        switch traits.lineItems {
        case .unique: break
        case .zero: return WebOrderLineItemId("0")
        case .absent: return nil
        case .sometimesShared:
            if let last = periods.last, last.end <= start, random.chance(40) {
                return last.webOrderLineItemId
            }
        }
        return WebOrderLineItemId("7\(seed)\(periods.count)")
    }

    private mutating func commitment(
        _ product: SimulatedProduct, _ start: Timestamp, _ reason: TransactionReason
    ) -> (number: Int64, end: Timestamp)? {
        guard let total = product.commitmentPeriods, let period = product.period else { return nil }
        if let last = periods.last, let number = last.commitmentNumber,
            let end = last.commitmentEnd, reason == .renewal, number < total
        {
            return (number + 1, end)
        }
        renewal.commitmentWillRenew = true
        return (1, traits.pace.end(of: period, count: total, from: start))
    }

    mutating func firstPurchase() {
        let product = renewal.nextProduct
        var offer: SimulatedOffer?
        if !traits.isCommitment, random.chance(40) {
            offer = .offer(.introductoryOffer, on: product, &random)
        }
        let start = now
        open(product, start: start, reason: .purchase, offer: offer)
        notify(
            .subscribed, .initialBuy, at: start.advanced(byMilliseconds: shortly()), status: .active
        )
    }

    /// The renewal succeeds at the end of the period, charged up to a day before or shortly after.
    mutating func renew() {
        let start = end
        let early = random.chance(45)
        let signed =
            early
            ? start.advanced(byMilliseconds: -random.within(1...max(1, lead * 9 / 10)))
            : start.advanced(byMilliseconds: shortly())
        openRenewal(start: start)
        notify(.didRenew, at: max(signed, now.advanced(byMilliseconds: 2000)), status: .active)
        if early { replaceRenewal() }
    }

    /// Before an early renewal begins, the customer seldom upgrades: the new period begins at once
    /// and replaces it (`Lifecycle.md` §2 rule 4). The renewal was paid for, but never governs.
    ///
    /// Only where the renewal is of the same product and both are without an offer: a period that
    /// never runs is no change of product and no conversion.
    private mutating func replaceRenewal() {
        let (running, renewed) = (periods[current - 1], currentPeriod)
        let first = now.advanced(byMilliseconds: 3000)
        let last = renewed.start.advanced(byMilliseconds: -3000)
        let products = SimulatedProduct.above(running.product)
        guard traits.pace == .calendar, !traits.isCommitment, running.revocation == nil,
            renewed.product == running.product, running.phase == .standard,
            renewed.phase == .standard, first < last, !products.isEmpty, replacements.chance(4)
        else { return }
        let start = first.advanced(
            byMilliseconds: replacements.within(0...last.milliseconds(since: first)))
        truth.marks.removeLast()
        for index in [current - 1, current] {
            markUpgraded(index, at: start)
            sendTransaction(index, at: start)
        }
        changeNow(to: replacements.pick(products), offer: nil, at: start)
    }

    mutating func openRenewal(start: Timestamp, countsFrom: Timestamp? = nil) {
        open(
            renewal.nextProduct, start: start, reason: .renewal, offer: renewal.nextOffer,
            countsFrom: countsFrom)
    }

    /// The customer subscribes again at `start`.
    mutating func resubscribe(at start: Timestamp) {
        let product =
            traits.isCommitment
            ? currentPeriod.product
            : (random.chance(60) ? currentPeriod.product : random.pick(SimulatedProduct.renewable))
        var offer: SimulatedOffer?
        if !traits.isCommitment, !traits.isFamilyShared, random.chance(30) {
            let type = random.pick([
                OfferType.winBackOffer, .promotionalOffer, .offerCode,
            ])
            offer = .offer(type, on: product, &random)
        }
        open(product, start: start, reason: .purchase, offer: offer)
        notify(
            .subscribed, .resubscribe, at: start.advanced(byMilliseconds: shortly()),
            status: .active)
    }

    /// An immediate change of product: the old transaction is upgraded, its remainder refunded.
    mutating func changeNow(
        to product: SimulatedProduct, offer: SimulatedOffer?, at start: Timestamp
    ) {
        let old = current
        markUpgraded(old, at: start)
        open(product, start: start, reason: .purchase, offer: offer)
        let signed = start.advanced(byMilliseconds: shortly())
        notify(
            offer == nil ? .didChangeRenewalPref : .offerRedeemed, .upgrade, at: signed,
            status: .active)
        if random.chance(50) {
            sendTransaction(old, at: signed.advanced(byMilliseconds: shortly() + 2000))
        }
    }

    private mutating func markUpgraded(_ index: Int, at start: Timestamp) {
        periods[index].isUpgraded = true
        periods[index].revocation = SimulatedRevocation(
            date: start, reason: .refundedForOtherReason, type: .refundProrated,
            percentage: traits.statesDiscountType ? 50_000 : nil)
    }
}
