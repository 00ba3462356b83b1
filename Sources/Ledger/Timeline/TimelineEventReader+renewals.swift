import AppStore

extension TimelineEventReader {
    /// The statements of the renewal infos read so far.
    private struct RenewalView {
        /// Indices of the last one that stated auto-renew, and the product.
        var lastStatus: Int?
        var lastProduct: Int?
        var willRenew: Bool?
        /// When that was first stated.
        var willRenewSince: Timestamp?
        var commitmentWillRenew: Bool?
        /// Whether that changed, and no change of auto-renew was added since.
        var isUnannounced = false
        /// Whether the decision not to continue the commitment was the last one read.
        var endsWithCommitment = false
        var productId: ProductId?
        var pendingProductId: ProductId?
        /// The fact that scheduled it, and the period that it is about.
        var scheduled: (fact: Int, period: Int)?
        var priceIncrease: PriceIncreaseStatus?
    }

    mutating func readRenewals() {
        var view = RenewalView()
        // Statements about one run do not carry over to another.
        var run: Int?
        var others: [Int: RenewalView] = [:]
        for (index, point) in history.facts.renewals.enumerated() {
            guard let period = self.period(of: index) else {
                // There is nothing to compare it with: a change that it states may be an old one.
                readBareNotification(point.fact)
                continue
            }
            let next = history.renewalSubjects.first[period]
            if next != run {
                if let run { others[run] = view }
                view = others[next] ?? firstView(of: next)
            }
            run = next
            guard let renewal = facts[point.fact].statedRenewal else { continue }
            overtake(&view, at: index, renewal, in: period)
            readAutoRenew(point, renewal, &view)
            if renewal.productId != view.productId
                || renewal.productId != renewal.autoRenewProductId
                || view.pendingProductId != nil
            {
                readPendingProduct(point.fact, renewal, &view, in: period)
            }
            readPriceIncrease(point.fact, renewal.priceIncreaseStatus?.value, &view)
        }
        for index in facts.indices where facts[index].statedRenewal == nil {
            readBareNotification(index)
        }
    }

    /// Nil for a renewal info about no known period.
    private func period(of point: Int) -> Int? {
        guard let subject = history.renewalSubjects.subjects[point], !subject.isUnknown else {
            return nil
        }
        return subject.period
    }

    /// Forgets what a period overtook: it turned auto-renew on and ended a change of product, so
    /// the same, stated again after it, is decided anew.
    private func overtake(
        _ view: inout RenewalView, at index: Int, _ renewal: Shared<RenewalSnapshot>,
        in period: Int
    ) {
        let fact = facts.renewals[index].fact
        if renewal.willRenew != nil {
            if let last = view.lastStatus,
                history.isDecidedAgain(
                    after: last, in: period,
                    isNotified: facts[fact].cause.subtype?.value == .autoRenewDisabled)
            {
                if renewal.willRenew == false, view.willRenew == false { view.willRenew = true }
                view.commitmentWillRenew = nil
                view.endsWithCommitment = false
                view.isUnannounced = false
            }
            view.lastStatus = index
        }
        guard let next = renewal.autoRenewProductId else { return }
        if next == view.pendingProductId, let last = view.lastProduct,
            history.isDecidedAgain(
                after: last, in: period,
                isNotified: facts[fact].cause.notificationType?.value == .didChangeRenewalPref)
        {
            view.pendingProductId = nil
        }
        view.lastProduct = index
    }

    /// The state of a run before its first renewal info: a renewal implies that auto-renew was on.
    private func firstView(of run: Int) -> RenewalView {
        var view = RenewalView()
        if run > 0, history.periods[run].isRenewal(facts) { view.willRenew = true }
        return view
    }

    private mutating func readAutoRenew(
        _ point: RenewalPoint, _ renewal: Shared<RenewalSnapshot>, _ view: inout RenewalView
    ) {
        let fact = point.fact
        let type = facts[fact].cause.notificationType?.value
        let subtype = facts[fact].cause.subtype?.value
        if let stated = commitmentDecision(type, subtype, renewal, &view) {
            view.willRenew = renewal.willRenew
            view.isUnannounced = false
            view.endsWithCommitment = !stated
            add(stated ? .autoRenewEnabled : .autoRenewDisabled, at: facts.times[fact], fact: fact)
            return
        }
        // A renewal info that does not state it says nothing about the commitment of its product.
        let isAnother = renewal.productId.map { $0 != view.productId ?? $0 } ?? false
        if renewal.commitmentWillRenew ?? isAnother { view.endsWithCommitment = false }
        guard let willRenew = renewal.willRenew else { return }
        let isStated = subtype == (willRenew ? .autoRenewEnabled : .autoRenewDisabled)
        // A statement of the same millisecond as the first one may precede it.
        let isFirst = view.willRenewSince ?? point.signedDate == point.signedDate
        let isChange =
            view.willRenew.map { $0 != willRenew || (isStated && isFirst) } ?? isStated
        // The decision not to continue the commitment implies it; a notification is another one.
        if !willRenew, view.endsWithCommitment, !isStated { return }
        view.willRenew = willRenew
        view.willRenewSince = view.willRenewSince ?? point.signedDate
        guard isChange else { return }
        // A new purchase turns auto-renew on by itself, and the end of retry turns it off.
        if willRenew, type == .subscribed { return }
        if !willRenew, isInvoluntaryEnd(type, subtype, renewal) { return }
        view.isUnannounced = false
        add(willRenew ? .autoRenewEnabled : .autoRenewDisabled, at: facts.times[fact], fact: fact)
    }

    /// The customer's decision about a commitment, if the notification states it while the billing
    /// periods inside the commitment still renew. A renewal info signed before the notification, as
    /// one that a device uploads, may have stated it first.
    private func commitmentDecision(
        _ type: NotificationType?, _ subtype: Subtype?, _ renewal: Shared<RenewalSnapshot>,
        _ view: inout RenewalView
    ) -> Bool? {
        guard let willRenew = renewal.commitmentWillRenew else { return nil }
        let before = view.commitmentWillRenew
        view.commitmentWillRenew = willRenew
        // A new purchase turns it on by itself.
        if willRenew != before ?? true { view.isUnannounced = !(willRenew && type == .subscribed) }
        let stated: Bool
        switch subtype {
        case .autoRenewEnabled: stated = true
        case .autoRenewDisabled: stated = false
        default: return nil
        }
        return willRenew == stated && (before != stated || view.isUnannounced) ? stated : nil
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
        _ fact: Int, _ renewal: Shared<RenewalSnapshot>, _ view: inout RenewalView, in period: Int
    ) {
        guard let next = renewal.autoRenewProductId, let current = renewal.productId else { return }
        let pending = next == current ? nil : next
        if facts[fact].cause.notificationType?.value == .subscribed {
            // A new purchase ends the pending change without cancelling it.
            view.pendingProductId = nil
        }
        let isSameProduct = view.productId == nil || view.productId == current
        if let pending, pending != view.pendingProductId {
            add(
                .productChangeScheduled, at: facts.times[fact], fact: fact, product: pending,
                detail: .change(.init(from: current, to: pending)))
            view.scheduled = (fact, period)
        } else if pending == nil, let cancelled = view.pendingProductId, isSameProduct,
            !wasMade(view, before: fact, in: period)
        {
            add(
                .productChangeCancelled, at: facts.times[fact], fact: fact,
                also: view.scheduled?.fact,
                detail: .change(.init(from: current, to: cancelled)))
        }
        view.productId = current
        view.pendingProductId = pending
    }

    /// Whether a period of the pending product began before a fact about a period. Transactions
    /// alone may state it, and that the product was changed back since.
    private func wasMade(_ view: RenewalView, before fact: Int, in period: Int) -> Bool {
        guard let scheduled = view.scheduled, scheduled.period <= period else { return false }
        let (from, to) = (facts.times[scheduled.fact], facts.times[fact])
        return history.periods[scheduled.period...period].contains { period in
            !period.isReplaced && from < period.countsFrom && period.countsFrom <= to
                && facts[period.bestFact].statedTransaction?.productId == view.pendingProductId
        }
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

    /// Facts stated by notifications without a renewal info about a known period.
    private mutating func readBareNotification(_ index: Int) {
        let name: TimelineEventName
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
