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
    /// The snapshot's own date; without one, its fact's date applies (`Lifecycle.md` §2 rule 1).
    public var signedDate: Timestamp?
    public var revocationDate: Timestamp?
    public var quantity: Int64?
    public var type: Raw<ProductType>?
    public var appAccountToken: String?
    public var inAppOwnershipType: Raw<InAppOwnershipType>?
    public var revocationReason: Raw<RevocationReason>?
    public var revocationType: Raw<RevocationType>?
    /// Milli-percent, 0…100000.
    public var revocationPercentage: Int64?
    public var isUpgraded: Bool
    public var offer: Offer?
    /// `is_trial_period` of a receipt; nil in signed transactions, which have `offer.discountType`.
    public var isTrialPeriod: Bool?
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
}

// In an extension, because an initializer within the structure would build the value in place and
// copy each of its strings out again; the memberwise initializer moves them.
extension TransactionSnapshot {
    public init(transactionId: TransactionId, originalTransactionId: OriginalTransactionId) {
        self.init(
            transactionId: transactionId, originalTransactionId: originalTransactionId,
            isUpgraded: false)
    }

    /// All fields at once, in storage order, for the store's decoder, which calls it millions of
    /// times.
    package init(
        stored transactionId: TransactionId,
        originalTransactionId: OriginalTransactionId,
        webOrderLineItemId: WebOrderLineItemId?, productId: ProductId?,
        subscriptionGroupIdentifier: SubscriptionGroupIdentifier?,
        purchaseDate: Timestamp?, originalPurchaseDate: Timestamp?, expiresDate: Timestamp?,
        signedDate: Timestamp?, revocationDate: Timestamp?, quantity: Int64?,
        type: Raw<ProductType>?, appAccountToken: String?,
        inAppOwnershipType: Raw<InAppOwnershipType>?,
        revocationReason: Raw<RevocationReason>?,
        revocationType: Raw<RevocationType>?, revocationPercentage: Int64?,
        isUpgraded: Bool, offer: Offer?, isTrialPeriod: Bool?, storefront: String?,
        transactionReason: Raw<TransactionReason>?, price: Int64?,
        currency: String?, billingPlanType: Raw<BillingPlanType>?,
        commitment: Commitment?
    ) {
        self.init(
            transactionId: transactionId, originalTransactionId: originalTransactionId,
            webOrderLineItemId: webOrderLineItemId, productId: productId,
            subscriptionGroupIdentifier: subscriptionGroupIdentifier, purchaseDate: purchaseDate,
            originalPurchaseDate: originalPurchaseDate, expiresDate: expiresDate,
            signedDate: signedDate, revocationDate: revocationDate, quantity: quantity,
            type: type, appAccountToken: appAccountToken, inAppOwnershipType: inAppOwnershipType,
            revocationReason: revocationReason, revocationType: revocationType,
            revocationPercentage: revocationPercentage, isUpgraded: isUpgraded, offer: offer,
            isTrialPeriod: isTrialPeriod, storefront: storefront,
            transactionReason: transactionReason, price: price,
            currency: currency, billingPlanType: billingPlanType, commitment: commitment)
    }
}

/// The offer of a transaction, or of the next renewal.
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

    /// Nil if nothing is stated.
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

extension TransactionSnapshot {
    /// The purchaseDate. A copy that was restored at or after its end has the date of the restore;
    /// it counts from the last second before the end (`Lifecycle.md` §2 rule 2).
    var bought: Timestamp? {
        guard let purchaseDate, let expiresDate, expiresDate <= purchaseDate else {
            return purchaseDate
        }
        return expiresDate.advanced(byMilliseconds: -AfterPeriodRule.receiptPrecisionMilliseconds)
    }
}

extension WebOrderLineItemId {
    /// Whether it identifies a purchase: Apple states "0" where it has none, also for unrelated
    /// transactions of one customer.
    var isNamed: Bool { rawValue != "0" }
}

extension Shared<TransactionSnapshot> {
    /// Whether the transaction makes a period. Payloads without a type (none known, but every field
    /// is optional) do if they have an end.
    var isAutoRenewable: Bool {
        guard let type = self.type else { return self.expiresDate != nil }
        return type.value == .autoRenewableSubscription
    }
}
