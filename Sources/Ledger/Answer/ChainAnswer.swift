import AppStore

/// One chain at one moment: state, attributes and the events that decide them
/// (`Lifecycle.md` §2, "Attributes at t").
public struct ChainAnswer: Hashable, Sendable {
    public var state: ChainState
    /// Whether access is given: the state is entitled and the chain meets the minimum trust.
    public var isEntitled: Bool
    /// Bounds of the unbroken time in this state; `until` nil if open.
    public var since: Timestamp
    public var until: Timestamp?
    /// End of the unbroken entitled time that contains the moment; nil when not entitled or
    /// open-ended.
    public var accessUntil: Timestamp?
    /// Nil when no renewal info states it.
    public var willRenew: Bool?
    public var productId: ProductId?
    /// Product of the next renewal, if there will be one and it differs.
    public var nextProductId: ProductId?
    public var phase: Phase
    public var ownership: Ownership
    public var appAccountToken: String?
    /// Highest trust at which periods begun by then state the token; nil without a token.
    public var appAccountTokenTrust: Trust?
    public var price: Money?
    public var storefront: String?
    public var transactionId: TransactionId
    public var subscriptionGroupIdentifier: SubscriptionGroupIdentifier?
    public var type: Raw<ProductType>?
    public var offer: Offer?
    public var commitment: Commitment?
    public var priceIncrease: PriceIncrease?
    public var cancellation: Cancellation?
    public var revocation: Revocation?
    /// Why there is no access; nil while there is, and for a one-time purchase that was not
    /// revoked.
    public var endReason: EndReason?
    public var notices: [Notice]
    /// Trust of the state: the lowest among the events that decide it.
    public var trust: Trust
    /// Positions of the events that decide the answer, ascending.
    public var evidence: [Int64]

    /// How a period was priced (`Lifecycle.md` §2, `phase`).
    public enum Phase: String, Sendable, CaseIterable {
        case trial
        case intro
        case offer
        case standard
    }

    public enum Ownership: Hashable, Sendable {
        case purchased
        case familyShared
        case assigned
        /// A value unknown to this version.
        case other(String)

        public var rawValue: String {
            switch self {
            case .purchased: "purchased"
            case .familyShared: "familyShared"
            case .assigned: "assigned"
            case .other(let raw): raw
            }
        }

        /// Whether it is neither a family copy nor a licence that an organisation assigned.
        var isOwnPurchase: Bool { self != .familyShared && self != .assigned }
    }

    public enum PriceIncrease: String, Sendable, CaseIterable {
        case pending
        case accepted
    }

    /// Why auto-renew is off, and since which statement.
    public struct Cancellation: Hashable, Sendable {
        public var reason: EndReason
        public var at: Timestamp
    }

    /// The refund, family revoke or withdrawal of an assigned copy that is in force.
    public struct Revocation: Hashable, Sendable {
        public var date: Timestamp
        public var reason: Int64?
        public var type: String?
        /// Milli-percent.
        public var percentage: Int64?
    }

    /// The 12-month commitment of the governing period, and its continuation.
    public struct Commitment: Hashable, Sendable {
        public var billingPeriodNumber: Int64?
        public var totalBillingPeriods: Int64?
        public var expiresDate: Timestamp?
        public var price: Money?
        /// commitmentAutoRenewStatus.
        public var willRenew: Bool?
        public var nextProductId: ProductId?
    }
}

extension TransactionSnapshot {
    /// `Lifecycle.md` §2, `phase`.
    public var phase: ChainAnswer.Phase {
        guard let offer, let type = offer.type else {
            return self.offer?.discountType?.value == .freeTrial ? .trial : .standard
        }
        if offer.discountType?.value == .freeTrial { return .trial }
        if offer.discountType == nil, isTrialPeriod != false {
            if price == 0 { return .trial }
            if price == nil, type.value == .introductoryOffer { return .trial }
        }
        switch type.value {
        case .introductoryOffer: return .intro
        case .promotionalOffer, .offerCode, .winBackOffer: return .offer
        case nil: return .standard
        }
    }

    public var ownership: ChainAnswer.Ownership {
        guard let raw = inAppOwnershipType else { return .purchased }
        switch raw.value {
        case .purchased: return .purchased
        case .familyShared: return .familyShared
        case .assigned: return .assigned
        case nil: return .other(raw.rawValue)
        }
    }

    /// Nil unless both parts are stated.
    public var money: Money? {
        guard let price, let currency else { return nil }
        return Money(milliunits: price, currency: currency)
    }
}
