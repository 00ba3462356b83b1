import AppStore

extension LifeFactReader {
    /// What the newest renewal info said so far.
    private struct RenewalView {
        var willRenew: Bool?
        var commitmentWillRenew: Bool?
        var productId: ProductId?
        var pendingProductId: ProductId?
        /// The fact that scheduled it.
        var pendingFact: Int?
        var priceIncrease: PriceIncreaseStatus?
    }

    mutating func readRenewals() {
        var view = RenewalView()
        var purchase: Int?
        for (index, point) in history.facts.renewals.enumerated() {
            // What was stated before the end says nothing about a purchase after it.
            let subject = history.renewalSubjects.subjects[index].map {
                history.renewalSubjects.first[$0]
            }
            if subject != purchase { view = RenewalView() }
            purchase = subject
            guard let renewal = facts[point.fact].statedRenewal else { continue }
            readAutoRenew(point.fact, renewal, &view)
            if renewal.productId != view.productId
                || renewal.productId != renewal.autoRenewProductId
                || view.pendingProductId != nil
            {
                readPendingProduct(point.fact, renewal, &view)
            }
            readPriceIncrease(point.fact, renewal.priceIncreaseStatus?.value, &view)
        }
        for index in facts.indices where facts[index].statedRenewal == nil {
            readBareNotification(index)
        }
    }

    private mutating func readAutoRenew(
        _ fact: Int, _ renewal: Shared<RenewalSnapshot>, _ view: inout RenewalView
    ) {
        let type = facts[fact].cause.notificationType?.value
        let subtype = facts[fact].cause.subtype?.value
        if let said = commitmentDecision(subtype, renewal, &view) {
            view.willRenew = renewal.willRenew
            add(said ? .autoRenewEnabled : .autoRenewDisabled, at: facts.times[fact], fact: fact)
            return
        }
        guard let willRenew = renewal.willRenew else { return }
        let isSaid = subtype == (willRenew ? .autoRenewEnabled : .autoRenewDisabled)
        let isChange = view.willRenew.map { $0 != willRenew } ?? isSaid
        view.willRenew = willRenew
        guard isChange else { return }
        // A new purchase turns auto-renew on by itself, and an end of retry turns it off.
        if willRenew, type == .subscribed { return }
        if !willRenew, isInvoluntaryEnd(type, subtype, renewal) { return }
        add(willRenew ? .autoRenewEnabled : .autoRenewDisabled, at: facts.times[fact], fact: fact)
    }

    /// What the customer decided about a commitment, when the notification says so and the billing
    /// periods inside it renew all the same.
    private func commitmentDecision(
        _ subtype: Subtype?, _ renewal: Shared<RenewalSnapshot>, _ view: inout RenewalView
    ) -> Bool? {
        guard let willRenew = renewal.commitmentWillRenew else { return nil }
        let before = view.commitmentWillRenew
        view.commitmentWillRenew = willRenew
        let said: Bool
        switch subtype {
        case .autoRenewEnabled: said = true
        case .autoRenewDisabled: said = false
        default: return nil
        }
        return willRenew == said && before != said ? said : nil
    }

    /// Whether auto-renew is off because the subscription ended for another reason.
    private func isInvoluntaryEnd(
        _ type: NotificationType?, _ subtype: Subtype?, _ renewal: Shared<RenewalSnapshot>
    ) -> Bool {
        if type == .expired { return subtype != .voluntary }
        guard let intent = renewal.expirationIntent else { return false }
        return intent.value != .customerCancelled
    }

    private mutating func readPendingProduct(
        _ fact: Int, _ renewal: Shared<RenewalSnapshot>, _ view: inout RenewalView
    ) {
        guard let next = renewal.autoRenewProductId, let current = renewal.productId else { return }
        let pending = next == current ? nil : next
        if facts[fact].cause.notificationType?.value == .subscribed {
            // A new purchase ends what was pending; nobody cancelled it.
            view.pendingProductId = nil
        }
        let isSameProduct = view.productId == nil || view.productId == current
        if let pending, pending != view.pendingProductId {
            add(
                .productChangeScheduled, at: facts.times[fact], fact: fact, product: pending,
                detail: .change(.init(from: current, to: pending)))
            view.pendingFact = fact
        } else if pending == nil, let cancelled = view.pendingProductId, isSameProduct {
            add(
                .productChangeCancelled, at: facts.times[fact], fact: fact, also: view.pendingFact,
                detail: .change(.init(from: current, to: cancelled)))
        }
        view.productId = current
        view.pendingProductId = pending
    }

    private mutating func readPriceIncrease(
        _ fact: Int, _ status: PriceIncreaseStatus?, _ view: inout RenewalView
    ) {
        defer { view.priceIncrease = status }
        guard status != view.priceIncrease else { return }
        switch status {
        case .customerHasNotResponded:
            add(.priceIncreasePending, at: facts.times[fact], fact: fact)
        case .customerConsentedOrWasNotifiedWithoutNeedingConsent:
            add(.priceIncreaseAccepted, at: facts.times[fact], fact: fact)
        case nil: break
        }
    }

    /// Notifications that came without a renewal info still say what they say.
    private mutating func readBareNotification(_ index: Int) {
        let name: LifeFactName
        switch facts[index].cause.subtype?.value {
        case .autoRenewDisabled: name = .autoRenewDisabled
        case .autoRenewEnabled: name = .autoRenewEnabled
        case .pending: name = .priceIncreasePending
        case .accepted: name = .priceIncreaseAccepted
        default: return
        }
        add(name, at: facts.times[index], fact: index)
    }
}
