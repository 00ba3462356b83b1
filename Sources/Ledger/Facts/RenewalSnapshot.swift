import AppStore

/// A renewal info as Apple stated it at its `signedDate`: the part of
/// JWSRenewalInfoDecodedPayload that a lifecycle depends on.
public struct RenewalSnapshot: Hashable, Sendable {
    public var productId: ProductId?
    public var autoRenewProductId: ProductId?
    public var autoRenewStatus: Raw<AutoRenewStatus>?
    public var expirationIntent: Raw<ExpirationIntent>?
    public var isInBillingRetryPeriod: Bool?
    public var gracePeriodExpiresDate: Timestamp?
    public var priceIncreaseStatus: Raw<PriceIncreaseStatus>?
    public var renewalDate: Timestamp?
    /// The snapshot's own date; without one, its fact's date applies (`Lifecycle.md` §2 rule 1).
    public var signedDate: Timestamp?
    /// Price of the next renewal in milliunits of `currency`.
    public var renewalPrice: Int64?
    public var currency: String?
    /// For the next renewal: it names a customer, and no holder (`Lifecycle.md` §6).
    public var appAccountToken: String?
    public var offer: Offer?
    public var renewalBillingPlanType: Raw<BillingPlanType>?
    /// Spelled out so that it has no default value: the memberwise initializer must not become an
    /// initializer without arguments, which is declared below.
    public var commitment: Optional<Commitment>

    /// Terms at the end of a 12-month commitment.
    public struct Commitment: Hashable, Sendable {
        public var autoRenewProductId: ProductId?
        public var autoRenewStatus: Raw<AutoRenewStatus>?
        public var renewalDate: Timestamp?
        /// Milliunits of the renewal info's currency.
        public var renewalPrice: Int64?
        public var renewalBillingPlanType: Raw<BillingPlanType>?

        public init(
            autoRenewProductId: ProductId? = nil, autoRenewStatus: Raw<AutoRenewStatus>? = nil,
            renewalDate: Timestamp? = nil, renewalPrice: Int64? = nil,
            renewalBillingPlanType: Raw<BillingPlanType>? = nil
        ) {
            self.autoRenewProductId = autoRenewProductId
            self.autoRenewStatus = autoRenewStatus
            self.renewalDate = renewalDate
            self.renewalPrice = renewalPrice
            self.renewalBillingPlanType = renewalBillingPlanType
        }
    }

    /// Auto-renew as stated; nil when unstated or unknown.
    var willRenew: Bool? { autoRenewStatus?.value.map { $0 == .on } }

    /// commitmentAutoRenewStatus: whether a commitment continues; nil when unstated or unknown.
    var commitmentWillRenew: Bool? { commitment?.autoRenewStatus?.value.map { $0 == .on } }
}

// In an extension, because an initializer within the structure would build the value in place and
// copy each of its strings out again; the memberwise initializer moves them.
extension RenewalSnapshot {
    public init() { self.init(commitment: nil) }

    /// All fields at once, in storage order, for the store's decoder, which calls it millions of
    /// times.
    package init(
        stored productId: ProductId?, autoRenewProductId: ProductId?,
        autoRenewStatus: Raw<AutoRenewStatus>?, expirationIntent: Raw<ExpirationIntent>?,
        isInBillingRetryPeriod: Bool?, gracePeriodExpiresDate: Timestamp?,
        priceIncreaseStatus: Raw<PriceIncreaseStatus>?, renewalDate: Timestamp?,
        signedDate: Timestamp?, renewalPrice: Int64?, currency: String?,
        appAccountToken: String?, offer: Offer?, renewalBillingPlanType: Raw<BillingPlanType>?,
        commitment: Commitment?
    ) {
        self.init(
            productId: productId, autoRenewProductId: autoRenewProductId,
            autoRenewStatus: autoRenewStatus, expirationIntent: expirationIntent,
            isInBillingRetryPeriod: isInBillingRetryPeriod,
            gracePeriodExpiresDate: gracePeriodExpiresDate,
            priceIncreaseStatus: priceIncreaseStatus, renewalDate: renewalDate,
            signedDate: signedDate, renewalPrice: renewalPrice, currency: currency,
            appAccountToken: appAccountToken, offer: offer,
            renewalBillingPlanType: renewalBillingPlanType, commitment: commitment)
    }
}
