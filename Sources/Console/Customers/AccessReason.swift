package import AppStore
package import Ledger
package import Queries

/// Why a customer has an entitlement or not, as support explains it: one case for everything that
/// can give, end or withhold access (`Lifecycle.md` §2 "Why access ended", §6).
package enum AccessReason: String, Sendable, CaseIterable {
    // With access.
    case renews
    /// It continues as another product.
    case changes
    case trialRenews
    /// A trial that continues as another product.
    case trialChanges
    case trialEnds
    /// A trial of which it is not known whether it renews.
    case trial
    /// It ends with the period, unless the customer agrees to a higher price.
    case awaitsConsent
    /// Its billing periods renew, its commitment does not.
    case endsWithCommitment
    case endsAtPeriod
    case paid
    case grace
    case leeway
    case owned
    /// A non-renewing purchase, until its end.
    case boughtForTime
    /// A non-renewing purchase whose duration the catalogue does not give.
    case unknownDuration
    case granted
    // Without.
    case billingRetry
    case voluntary
    case billing
    case priceIncrease
    case productUnavailable
    case other
    case unconfirmed
    case refund
    case familyRevoke
    /// An organisation withdrew the licence that it had assigned.
    case assignmentRevoke
    case grantEnded
    case consumed
    /// A non-renewing purchase whose time is over.
    case lapsed
    /// The chain continued with another product, which does not give the entitlement.
    case changedProduct
    /// The chain belongs to another customer now.
    case movedOn
    /// The chain was unlinked, and belongs to no customer now.
    case unlinked
    /// The customer's claim was undone, and the chain belongs to no customer now.
    case claimUndone
    /// The chain's trust is below `entitlement.minimumTrust`.
    case lowTrust

    /// - Parameters:
    ///   - customer: whose verdict it is.
    ///   - reading: the cited chain at the same moment; nil for a grant.
    package init(
        _ verdict: Verdict, of customer: CustomerId, _ reading: ChainReading?, at moment: Timestamp
    ) {
        self =
            verdict.active
            ? AccessReason.given(verdict.basis, reading)
            : AccessReason.withheld(verdict, customer, reading, moment)
    }

    /// Of a chain itself at the reading's moment, for any holder.
    package init(_ reading: ChainReading) {
        let answer = reading.answer
        let basis = reading.leeway == nil ? Verdict.Basis(answer.state) : Verdict.Basis.leeway
        self =
            reading.givesAccess
            ? AccessReason.given(basis, reading)
            : AccessReason.withheld(answer.state, answer.endReason ?? .unconfirmed)
    }

    private static func given(_ basis: Verdict.Basis?, _ reading: ChainReading?) -> AccessReason {
        let answer = reading?.answer
        let isTrial = answer?.phase == .trial
        switch basis {
        case .grant?: return .granted
        case .owned?: return owned(reading)
        case .grace?: return .grace
        case .leeway?: return .leeway
        case .period?, nil:
            switch answer?.willRenew {
            case true? where answer?.priceIncrease == .pending: return .awaitsConsent
            case true? where answer?.commitment?.willRenew == false: return .endsWithCommitment
            case true? where answer?.nextProductId != nil: return isTrial ? .trialChanges : .changes
            case true?: return isTrial ? .trialRenews : .renews
            case false?: return isTrial ? .trialEnds : .endsAtPeriod
            case nil: return isTrial ? .trial : .paid
            }
        }
    }

    /// Of a one-time purchase that gives access.
    private static func owned(_ reading: ChainReading?) -> AccessReason {
        guard let reading else { return .owned }
        let answer = reading.answer
        // The time that it covers, which a later refund does not change.
        let standing = reading.life.standing(of: answer.transactionId, at: reading.moment.at)
        guard standing?.to == nil else { return .boughtForTime }
        return answer.type?.value == .nonRenewingSubscription ? .unknownDuration : .owned
    }

    private static func withheld(
        _ verdict: Verdict, _ customer: CustomerId, _ reading: ChainReading?, _ moment: Timestamp
    ) -> AccessReason {
        guard let state = verdict.state else { return .grantEnded }
        // Whatever the state: how a product ended explains nothing once the chain went on without
        // it, and Apple retries no payment for it.
        if let reading, let until = verdict.until, until <= moment {
            return successor(until, customer, reading)
        }
        return withheld(state, reason(verdict, reading))
    }

    /// - Parameter reason: why access ended, where the state does not say it.
    private static func withheld(_ state: ChainState, _ reason: EndReason) -> AccessReason {
        switch state {
        case .subscribed, .renewing, .grace, .owned: .lowTrust
        case .billingRetry: .billingRetry
        case .consumed: .consumed
        case .lapsed: .lapsed
        case .revoked where reason == .other: .assignmentRevoke
        case .revoked: reason == .familyRevoke ? .familyRevoke : .refund
        case .expired: AccessReason(reason)
        }
    }

    /// What took the place of a stretch that is over: another product, where the customer still
    /// holds the chain; else its other holder, also where that one bought another product.
    private static func successor(
        _ until: Timestamp, _ customer: CustomerId, _ reading: ChainReading
    ) -> AccessReason {
        let holders = reading.life.holders
        func isHeld(at time: Timestamp) -> Bool {
            holders.holders(at: time).contains { $0.customer == customer }
        }
        let moment = reading.moment.at
        let isLost = isHeld(at: until.advanced(byMilliseconds: -1)) && !isHeld(at: moment)
        guard isLost else { return .changedProduct }
        guard holders.holders(at: moment).isEmpty else { return .movedOn }
        return holders.isClaimUndone(of: customer) ? .claimUndone : .unlinked
    }

    /// Whether the purchase went on: not shown as a loss.
    package var isContinued: Bool { self == .changedProduct || self == .movedOn }

    /// The reason of the cited end, which is an earlier one where the chain went on after it.
    private static func reason(_ verdict: Verdict, _ reading: ChainReading?) -> EndReason {
        let cited = reading?.intervals.last { interval in
            guard interval.state == verdict.state, interval.productId == verdict.productId
            else { return false }
            return verdict.until.map { interval.from < $0 } ?? true
        }
        return cited?.reason ?? .unconfirmed
    }

    /// Each end has a reason of its name.
    package init(_ reason: EndReason) {
        self = AccessReason(rawValue: reason.rawValue) ?? .unconfirmed
    }
}

extension AccessReason {
    /// The cause, as the end of "Access to X …" or "No access to X …", for the support person.
    package var cause: String {
        switch self {
        case .renews: "the subscription is paid and renews by itself"
        case .changes:
            "the subscription is paid, and continues after this period as another product"
        case .trialRenews: "the trial is free, and renews by itself as a paid subscription"
        case .trialChanges:
            "the trial is free, and the subscription continues after it as another product"
        case .trialEnds: "the trial is free, and automatic renewal is off"
        case .trial: "the trial is free; whether the subscription renews is not known"
        case .awaitsConsent:
            "Apple ends it after this period unless a higher price is agreed to"
        case .endsWithCommitment:
            "it is billed until the commitment ends, and does not renew after that"
        case .endsAtPeriod: "the period is paid, and automatic renewal is off"
        case .paid: "the period is paid; whether it renews is not known"
        case .grace: "the payment failed, and the grace period still gives access"
        case .leeway: "a renewal is overdue, nothing says that it failed, and leeway gives access"
        case .owned: "it was bought once and for good"
        case .boughtForTime: "it was bought for a limited time, and does not renew"
        case .unknownDuration:
            "it was bought for a limited time, whose length the catalogue does not give"
        case .granted: "one of your colleagues granted it"
        case .billingRetry: "the payment failed, and Apple keeps trying (billing retry)"
        case .voluntary: "automatic renewal was turned off, and its time is over"
        case .billing: "the payment failed, and Apple has stopped trying"
        case .priceIncrease: "a higher price was not agreed to"
        case .productUnavailable: "the product was no longer for sale when it had to renew"
        case .other: "Apple ended it and gives no further reason"
        case .unconfirmed: "its time is over, and no event says why"
        case .refund: "Apple refunded the purchase"
        case .familyRevoke: "the purchase is no longer shared with this family member"
        case .assignmentRevoke: "the organisation that assigned this licence withdrew it"
        case .grantEnded: "the grant is over"
        case .consumed: "the purchase is a consumable, which gives no lasting access"
        case .lapsed: "the purchased time is over, and this product does not renew"
        case .changedProduct:
            "the subscription is for another product now, which does not include it"
        case .movedOn: "the purchase belongs to another customer now"
        case .unlinked: "the purchase was unlinked, and belongs to no customer until it is linked"
        case .claimUndone:
            "the claim to the purchase was undone, and it belongs to no customer until it is linked"
        case .lowTrust:
            "what is known of the purchase is not signed by Apple (below entitlement.minimumTrust)"
        }
    }

    /// The cause, with the product that the subscription continues as.
    package func cause(of reading: ChainReading?) -> String {
        guard self == .changes || self == .trialChanges,
            let product = reading?.answer.nextProductId
        else { return cause }
        return "\(cause), \(product)"
    }

    /// What to say to the customer, who may hold a copy that another one pays for.
    package func advice(of reading: ChainReading?) -> String {
        if let reading, !reading.givesAccess {
            switch self {
            // What to do about the subscription as it is now.
            case .changedProduct: return AccessReason(reading).advice(of: reading)
            case .movedOn:
                return "This purchase belongs to another account now, and gives no access at"
                    + " present. You can buy it in the app."
            case .unlinked:
                return "This purchase belongs to no account, and gives no access at present. You"
                    + " can buy it in the app."
            default: break
            }
        }
        guard let payer = reading?.answer.ownership.payer else { return advice }
        return advice(paidBy: payer)
    }

    /// What to say to the holder of a copy: to renew, pay or change it is the payer's to do.
    private func advice(paidBy payer: String) -> String {
        let again = " You can ask \(payer) to subscribe again, or subscribe yourself in the app."
        return switch self {
        case .changes:
            "Your subscription is active. After this period it continues with the plan that"
                + " \(payer) changed to."
        case .trialRenews, .trialChanges:
            "Your free trial is active. It becomes a paid subscription unless \(payer) turns"
                + " renewal off."
        case .trialEnds:
            "Your free trial is active until its end, and does not become a subscription. Only"
                + " \(payer) can turn renewal on again."
        case .awaitsConsent:
            "Your subscription is active. Its price goes up: it ends with this period unless"
                + " \(payer) agrees to the new price."
        case .endsWithCommitment, .endsAtPeriod:
            "Your subscription is active until its end, and does not renew after that. Only"
                + " \(payer) can turn renewal on again."
        case .grace: "Apple could not charge \(payer). You keep access for now."
        case .billingRetry:
            "Apple could not charge \(payer). Access returns as soon as the payment succeeds."
        case .voluntary:
            "Your subscription ended because automatic renewal was turned off." + again
        case .billing: "Your subscription ended because Apple could not charge \(payer)." + again
        case .priceIncrease:
            "Your subscription ended because \(payer) did not agree to the new price." + again
        case .other: "Apple ended your subscription." + again
        case .refund:
            "Apple refunded this purchase to \(payer), so access ended. You can buy it yourself in"
                + " the app."
        case .changedProduct:
            "Your subscription changed to another plan, which does not include this. Only"
                + " \(payer) can change plans."
        default: advice
        }
    }

    /// What to say to a customer who pays for the purchase.
    private var advice: String {
        switch self {
        case .renews, .paid:
            "Your subscription is active. If the app does not show it, restore purchases."
        case .changes:
            "Your subscription is active. After this period it continues with the plan you changed"
                + " to; you can see both in the settings of your Apple Account."
        case .trialRenews, .trialChanges:
            "Your free trial is active. It becomes a paid subscription unless you turn renewal off"
                + " in the settings of your Apple Account."
        case .trialEnds:
            "Your free trial is active until its end, and does not become a subscription. You can"
                + " turn renewal on again in the settings of your Apple Account."
        case .trial: "Your free trial is active. If the app does not show it, restore purchases."
        case .awaitsConsent:
            "Your subscription is active. Its price goes up: it ends with this period unless you"
                + " agree to the new price in the settings of your Apple Account."
        case .endsWithCommitment:
            "Your subscription is active until the end of the time you committed to, and does not"
                + " renew after that. You can turn renewal on again in the settings of your Apple"
                + " Account."
        case .endsAtPeriod:
            "Your subscription is active until the end of the paid period, and does not renew after"
                + " that. You can turn renewal on again in the settings of your Apple Account."
        case .grace:
            "Apple could not charge you. You keep access for now: please update the payment method"
                + " of your Apple Account."
        case .leeway:
            "Your subscription is being renewed. You keep access until Apple has answered."
        case .owned: "Your purchase is valid. If the app does not show it, restore purchases."
        case .boughtForTime, .unknownDuration:
            "Your purchase is valid for a limited time, and does not renew."
        case .granted: "We have given you access."
        case .billingRetry:
            "Apple could not charge you. Please update the payment method of your Apple Account:"
                + " access returns as soon as the payment succeeds."
        case .voluntary:
            "Your subscription ended because automatic renewal was turned off. You can subscribe"
                + " again in the app."
        case .billing:
            "Your subscription ended because Apple could not charge you. Please update the payment"
                + " method of your Apple Account, and subscribe again in the app."
        case .priceIncrease:
            "Your subscription ended because you did not agree to the new price. You can subscribe"
                + " at that price in the app."
        case .productUnavailable:
            "Your subscription ended because this plan is no longer offered. Please choose another"
                + " one in the app."
        case .other: "Apple ended your subscription. You can subscribe again in the app."
        case .unconfirmed:
            "Your subscription seems to have ended. If it was renewed, please restore purchases."
        case .refund:
            "Apple refunded this purchase, so access ended. You can buy it again in the app."
        case .familyRevoke:
            "This purchase is no longer shared with you by your family. You can buy it in the app."
        case .assignmentRevoke:
            "The organisation that assigned this licence withdrew it. You can buy it in the app."
        case .grantEnded: "The access we gave you is over. You can subscribe in the app."
        case .consumed: "This purchase has been used up. You can buy it again in the app."
        case .lapsed: "The time of this purchase is over. You can buy it again in the app."
        case .changedProduct:
            "Your subscription changed to another plan, which does not include this. You can change"
                + " plans in the settings of your Apple Account."
        case .movedOn:
            "This purchase belongs to another account now. Please check which account you are"
                + " signed in with."
        case .unlinked:
            "This purchase belongs to no account at present. Please restore purchases in the app."
        case .claimUndone: "This purchase belongs to no account at present. Please contact us."
        case .lowTrust:
            "We cannot confirm this purchase yet. Please restore purchases in the app."
        }
    }
}

extension ChainAnswer.Ownership {
    /// The payer of a copy; nil where that is its holder.
    fileprivate var payer: String? {
        switch self {
        case .familyShared: "the family member who bought it"
        case .assigned: "the organisation that assigned it"
        case .purchased, .other: nil
        }
    }
}
