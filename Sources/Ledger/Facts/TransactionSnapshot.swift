import AppStore

/// A transaction as Apple stated it at its `signedDate`: the part of JWSTransactionDecodedPayload
/// that a lifecycle depends on. Everything else stays in the evidence.
public struct TransactionSnapshot: Hashable, Sendable {
    public var transactionId: TransactionId
    public var originalTransactionId: OriginalTransactionId
    public var webOrderLineItemId: WebOrderLineItemId?
    public var productId: ProductId?
    public var subscriptionGroupIdentifier: SubscriptionGroupIdentifier?
    public var purchaseDate: Timestamp?
    public var originalPurchaseDate: Timestamp?
    public var expiresDate: Timestamp?
    /// The snapshot's own date; a snapshot without one takes its fact's (`lifecycle.md` §2 rule 1).
    public var signedDate: Timestamp?
    public var quantity: Int64?
    public var type: Raw<ProductType>?
    public var appAccountToken: String?
    public var inAppOwnershipType: Raw<InAppOwnershipType>?
    public var revocationDate: Timestamp?
    public var revocationReason: Raw<RevocationReason>?
    public var revocationType: Raw<RevocationType>?
    /// Milli-percent, 0…100000.
    public var revocationPercentage: Int64?
    public var isUpgraded: Bool
    public var offer: Offer?
    public var storefront: String?
    public var transactionReason: Raw<TransactionReason>?
    /// Milliunits of `currency`, for the whole quantity, after the offer's discount.
    public var price: Int64?
    public var currency: String?
    public var billingPlanType: Raw<BillingPlanType>?
    public var commitment: Commitment?

    /// The 12-month commitment billed monthly, as one billing period's transaction states it.
    public struct Commitment: Hashable, Sendable {
        public var billingPeriodNumber: Int64?
        public var totalBillingPeriods: Int64?
        public var commitmentExpiresDate: Timestamp?
        /// Milliunits of the transaction's currency.
        public var commitmentPrice: Int64?

        public init(
            billingPeriodNumber: Int64? = nil, totalBillingPeriods: Int64? = nil,
            commitmentExpiresDate: Timestamp? = nil, commitmentPrice: Int64? = nil
        ) {
            self.billingPeriodNumber = billingPeriodNumber
            self.totalBillingPeriods = totalBillingPeriods
            self.commitmentExpiresDate = commitmentExpiresDate
            self.commitmentPrice = commitmentPrice
        }
    }

    public init(transactionId: TransactionId, originalTransactionId: OriginalTransactionId) {
        self.transactionId = transactionId
        self.originalTransactionId = originalTransactionId
        isUpgraded = false
    }

    /// All at once, in the order in which facts are stored: what reads them does so millions of
    /// times.
    @inlinable
    package init(
        transactionId: consuming TransactionId,
        originalTransactionId: consuming OriginalTransactionId,
        webOrderLineItemId: consuming WebOrderLineItemId?, productId: consuming ProductId?,
        subscriptionGroupIdentifier: consuming SubscriptionGroupIdentifier?,
        purchaseDate: Timestamp?, originalPurchaseDate: Timestamp?, expiresDate: Timestamp?,
        signedDate: Timestamp?, revocationDate: Timestamp?, quantity: Int64?,
        type: consuming Raw<ProductType>?, appAccountToken: consuming String?,
        inAppOwnershipType: consuming Raw<InAppOwnershipType>?,
        revocationReason: consuming Raw<RevocationReason>?,
        revocationType: consuming Raw<RevocationType>?, revocationPercentage: Int64?,
        isUpgraded: Bool, offer: consuming Offer?, storefront: consuming String?,
        transactionReason: consuming Raw<TransactionReason>?, price: Int64?,
        currency: consuming String?, billingPlanType: consuming Raw<BillingPlanType>?,
        commitment: consuming Commitment?
    ) {
        self.transactionId = transactionId
        self.originalTransactionId = originalTransactionId
        self.webOrderLineItemId = webOrderLineItemId
        self.productId = productId
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.purchaseDate = purchaseDate
        self.originalPurchaseDate = originalPurchaseDate
        self.expiresDate = expiresDate
        self.signedDate = signedDate
        self.revocationDate = revocationDate
        self.quantity = quantity
        self.type = type
        self.appAccountToken = appAccountToken
        self.inAppOwnershipType = inAppOwnershipType
        self.revocationReason = revocationReason
        self.revocationType = revocationType
        self.revocationPercentage = revocationPercentage
        self.isUpgraded = isUpgraded
        self.offer = offer
        self.storefront = storefront
        self.transactionReason = transactionReason
        self.price = price
        self.currency = currency
        self.billingPlanType = billingPlanType
        self.commitment = commitment
    }
}

/// The offer a transaction was bought with, or that the next renewal will use.
public struct Offer: Hashable, Sendable {
    public var type: Raw<OfferType>?
    public var identifier: String?
    public var discountType: Raw<OfferDiscountType>?
    /// ISO 8601 duration as Apple states it.
    public var period: String?

    public init(
        type: Raw<OfferType>? = nil, identifier: String? = nil,
        discountType: Raw<OfferDiscountType>? = nil, period: String? = nil
    ) {
        self.type = type
        self.identifier = identifier
        self.discountType = discountType
        self.period = period
    }

    /// Nil when nothing is stated.
    static func stated(
        type: Raw<OfferType>?, identifier: String?, discountType: Raw<OfferDiscountType>?,
        period: String?
    ) -> Offer? {
        guard type != nil || identifier != nil || discountType != nil || period != nil else {
            return nil
        }
        return Offer(
            type: type, identifier: identifier, discountType: discountType, period: period)
    }
}
