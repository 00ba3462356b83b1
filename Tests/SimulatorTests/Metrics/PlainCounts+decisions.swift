import AppStore
import Ledger
import Simulator

/// Decisions of customers, derived from renewal infos and sales alone.
extension PlainCounts {
    private static func isOn(_ status: Raw<AutoRenewStatus>?) -> Bool? {
        switch status?.value {
        case .on: true
        case .off: false
        case nil: nil
        }
    }

    /// The newest renewal info by then; for a period first known later but before its end, the one
    /// that came with it.
    func isSetToCancel(_ sale: Int, at moment: Timestamp) -> Bool {
        let about = plain.stated.filter { delivery in
            delivery.transaction?.transactionId.map { sales[sale].ids.contains($0) } ?? false
        }
        let first = about.map(\.snapshotDate).min()
        let speaking: RenewalPayload?
        if let first, first > moment, first < sales[sale].statedEnd {
            speaking = about.first { $0.snapshotDate == first && $0.renewal != nil }?.renewal
        } else {
            let last = plain.renewalInfos.last { $0.at <= moment }
            if let last, isOvertaken(last, by: sale) { return false }
            speaking = last.flatMap { plain.stated[$0.place].renewal }
        }
        let decided = Self.isOn(speaking?.commitmentInfo?.commitmentAutoRenewStatus)
        return decided == false || Self.isOn(speaking?.autoRenewStatus) == false
    }

    /// A purchase turns auto-renew on: what was signed before it was made and known, and did not
    /// come with it, was decided about another. The payments of one commitment are one purchase.
    private func isOvertaken(_ info: (at: Timestamp, place: Int), by sale: Int) -> Bool {
        var first = sale
        while first > 0, let later = sales[first].payload.commitmentInfo,
            let earlier = sales[first - 1].payload.commitmentInfo,
            earlier.totalBillingPeriods == later.totalBillingPeriods,
            let before = earlier.billingPeriodNumber, before < later.billingPeriodNumber ?? 0
        {
            first -= 1
        }
        let (purchase, named) = (sales[first], plain.stated[info.place].transaction?.purchaseDate)
        return info.at < min(purchase.bought, purchase.firstStated)
            && named.map { $0 < purchase.bought } ?? true
    }

    // MARK: Auto-renew

    /// When it was turned off or on by a decision: not by a purchase, and not by an end for another
    /// reason.
    private var decisions: [(at: Timestamp, isOn: Bool)] {
        var (standing, commitment): (Bool?, Bool?) = (nil, nil)
        // The last decision ended the commitment; one about it was stated, but not yet counted.
        var (isEnding, isUncounted) = (false, false)
        let ends = Set(plain.stated.flatMap { Self.lastEnds($0) })
        var found: [(at: Timestamp, isOn: Bool)] = []
        for (_, place) in plain.renewalInfos {
            let delivery = plain.stated[place]
            guard let renewal = delivery.renewal else { continue }
            let (type, said) = Self.said(delivery)
            let isOver =
                Self.isOn(renewal.commitmentInfo?.commitmentAutoRenewStatus) == false
                && renewal.renewalDate.map { ends.contains($0) } ?? false
            let stated = isOver ? false : Self.isOn(renewal.autoRenewStatus)
            if let decided = Self.isOn(renewal.commitmentInfo?.commitmentAutoRenewStatus) {
                let isNew = commitment != decided
                if decided != commitment ?? true {
                    isUncounted = !(decided && type == .subscribed)
                }
                commitment = decided
                if isNew || isUncounted, said == decided {
                    standing = stated
                    (isEnding, isUncounted) = (!decided, false)
                    found.append((delivery.time, decided))
                    continue
                }
            }
            if Self.isOn(renewal.commitmentInfo?.commitmentAutoRenewStatus) == true {
                isEnding = false
            }
            guard let stated else { continue }
            if !stated, isEnding, said != false { continue }
            let isChange = standing == nil ? said == stated : standing != stated
            standing = stated
            let isByItself = stated ? type == .subscribed : Self.isLost(delivery, renewal)
            if isChange, !isByItself {
                isUncounted = false
                found.append((delivery.time, stated))
            }
        }
        for delivery in plain.stated where delivery.renewal == nil {
            if let said = Self.said(delivery).isOn { found.append((delivery.time, said)) }
        }
        return found
    }

    /// The end of the last billing period of a commitment, and that to which it is extended.
    private static func lastEnds(_ delivery: Delivery) -> [Timestamp] {
        guard let terms = delivery.transaction?.commitmentInfo,
            let number = terms.billingPeriodNumber, number == terms.totalBillingPeriods
        else { return [] }
        var ends = [delivery.transaction?.expiresDate]
        if case .notification(let body, _, let renewal) = delivery.evidence,
            body.notificationType?.value == .renewalExtended
        {
            ends.append(renewal?.renewalDate)
        }
        return ends.compactMap(\.self)
    }

    private static func said(_ delivery: Delivery) -> (type: NotificationType?, isOn: Bool?) {
        guard case .notification(let body, _, _) = delivery.evidence else { return (nil, nil) }
        switch body.subtype?.value {
        case .autoRenewEnabled: return (body.notificationType?.value, true)
        case .autoRenewDisabled: return (body.notificationType?.value, false)
        default: return (body.notificationType?.value, nil)
        }
    }

    /// Off because it ended for another reason than the customer's decision.
    private static func isLost(_ delivery: Delivery, _ renewal: RenewalPayload) -> Bool {
        if case .notification(let body, _, _) = delivery.evidence,
            body.notificationType?.value == .expired
        {
            return body.subtype?.value != .voluntary
        }
        return renewal.expirationIntent.map { $0.value != .customerCancelled } ?? false
    }

    var autoRenew: [Count] {
        guard !plain.life.isOneTime else { return [] }
        return decisions.compactMap { decision in
            guard let state = plain.state(at: decision.at) else { return nil }
            let (sale, side) = (sales[state.sale], decision.isOn ? "on" : "off")
            let left = sale.statedEnd.milliseconds(since: decision.at)
            let since = decision.at.milliseconds(since: sale.start)
            let before = left < 0 ? "afterEnd" : "beforeEnd.\(Self.bucket(left))"
            return Count(
                at: decision.at, sale: state.sale,
                amounts: [
                    side: 1, "\(side).\(before)": 1, "\(side).afterStart.\(Self.bucket(since))": 1,
                ])
        }
    }

    // MARK: Product changes

    /// A sale followed by another of the same run, of another product.
    var productChanges: [Count] {
        guard !plain.life.isOneTime else { return [] }
        let begun = sales.indices.filter { !sales[$0].isReplaced }
        return zip(begun, begun.dropFirst()).compactMap { last, index in
            let (old, new) = (sales[last], sales[index])
            guard let before = old.payload.productId, let after = new.payload.productId,
                before != after, old.payload.isUpgraded == true || isSameRun(index)
            else { return nil }
            let first = plain.stated.filter { delivery in
                delivery.transaction?.transactionId.map { new.ids.contains($0) } ?? false
            }.min {
                ($0.snapshotDate, $0.time, $0.ordinal) < ($1.snapshotDate, $1.time, $1.ordinal)
            }
            let kind: String
            if let from = catalogue.products[before]?.level,
                let to = catalogue.products[after]?.level
            {
                kind = to == from ? "crossgraded" : to < from ? "upgraded" : "downgraded"
            } else {
                var isUpgrade = old.payload.isUpgraded == true || new.bought < old.statedEnd
                if let reason = new.payload.transactionReason?.value {
                    isUpgrade = isUpgrade || reason == .purchase
                } else if case .notification(let body, _, _)? = first?.evidence,
                    body.subtype?.value == .upgrade
                {
                    isUpgrade = true
                }
                kind = isUpgrade ? "upgraded" : "downgraded"
            }
            var amounts: [String: Int64] = [kind: 1]
            if let old = days(old), let new = days(new), old != new {
                amounts[old < new ? "toLonger" : "toShorter"] = 1
            }
            return Count(at: new.bought, sale: index, amounts: amounts)
        }
    }

    /// The approximate length of one payment in days; months of 30.
    private func days(_ sale: PlainLife.Sale) -> Int64? {
        sale.length(catalogue).map { $0.months * 30 + $0.days }
    }
}
