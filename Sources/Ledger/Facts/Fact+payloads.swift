import AppStore

/// The properties of an event that every translation needs besides its payload.
public struct FactOrigin: Sendable {
    public var position: Int64
    public var receivedAt: Timestamp
    /// See `Fact.isArrivalKnown`.
    public var isArrivalKnown: Bool
    public var trust: Trust
    /// SHA-256 of the payload bytes (`Lifecycle.md` §2 rule 1).
    public var digest: Digest

    public init(
        position: Int64, receivedAt: Timestamp, isArrivalKnown: Bool = true, trust: Trust,
        digest: Digest
    ) {
        self.position = position
        self.receivedAt = receivedAt
        self.isArrivalKnown = isArrivalKnown
        self.trust = trust
        self.digest = digest
    }
}

extension Fact {
    /// From a V2 notification and its nested payloads.
    public init(
        notification: NotificationPayload, transaction: TransactionPayload?,
        renewal: RenewalPayload?, origin: FactOrigin
    ) {
        self.init(
            origin: origin,
            cause: Cause(
                kind: .notification, notificationType: notification.notificationType,
                subtype: notification.subtype, notificationUUID: notification.notificationUUID),
            signedDate: notification.signedDate, status: notification.data?.status,
            transaction: transaction, renewal: renewal,
            unknownValues: notification.unknownValues)
    }

    /// From a lone signed transaction (API history, client upload).
    public init(transaction: TransactionPayload, origin: FactOrigin) {
        self.init(
            origin: origin, cause: Cause(kind: .transaction), signedDate: nil, status: nil,
            transaction: transaction, renewal: nil, unknownValues: [])
    }

    /// From a transaction, its renewal info and Apple's unsigned status.
    public init(
        pair transaction: TransactionPayload, renewal: RenewalPayload?,
        status: Raw<SubscriptionStatus>?, origin: FactOrigin
    ) {
        self.init(
            origin: origin, cause: Cause(kind: .renewalPair), signedDate: nil, status: status,
            transaction: transaction, renewal: renewal, unknownValues: [])
    }

    private init(
        origin: FactOrigin, cause: Cause, signedDate: Timestamp?,
        status: Raw<SubscriptionStatus>?, transaction: TransactionPayload?,
        renewal: RenewalPayload?, unknownValues: [String]
    ) {
        let inside = [transaction?.signedDate, renewal?.signedDate].compactMap { $0 }.max()
        let snapshot = transaction.flatMap { TransactionSnapshot($0) }
        var unknown = unknownValues
        unknown += transaction?.unknownValues.map { "transaction.\($0)" } ?? []
        unknown += renewal?.unknownValues.map { "renewal.\($0)" } ?? []
        if let status, status.value == nil, !unknown.contains("status") { unknown.append("status") }
        let date = signedDate ?? inside
        self.init(
            position: origin.position, receivedAt: origin.receivedAt,
            isArrivalKnown: origin.isArrivalKnown, trust: origin.trust,
            cause: cause, signedDate: date, digest: origin.digest, status: status,
            transaction: snapshot, renewal: renewal.map { RenewalSnapshot($0) },
            unknownValues: unknown,
            flaw: Fact.flaw(transaction: transaction, snapshot: snapshot, date: date))
    }

    private static func flaw(
        transaction: TransactionPayload?, snapshot: TransactionSnapshot?, date: Timestamp?
    ) -> Flaw? {
        guard transaction != nil else { return nil }
        guard date != nil else { return .undated }
        guard let snapshot, snapshot.purchaseDate != nil else { return .incompleteTransaction }
        let mayRenew = snapshot.type.map { $0.value == .autoRenewableSubscription } ?? true
        return mayRenew && snapshot.expiresDate == nil ? .incompleteTransaction : nil
    }
}

extension TransactionSnapshot {
    /// Nil without both ids that identify the transaction.
    public init?(_ payload: TransactionPayload) {
        guard let id = payload.transactionId, let original = payload.originalTransactionId,
            !original.rawValue.isEmpty
        else { return nil }
        self.init(transactionId: id, originalTransactionId: original)
        webOrderLineItemId = payload.webOrderLineItemId
        productId = payload.productId
        subscriptionGroupIdentifier = payload.subscriptionGroupIdentifier
        purchaseDate = payload.purchaseDate
        originalPurchaseDate = payload.originalPurchaseDate
        expiresDate = payload.expiresDate
        signedDate = payload.signedDate
        quantity = payload.quantity
        type = payload.type
        appAccountToken = payload.appAccountToken
        inAppOwnershipType = payload.inAppOwnershipType
        revocationDate = payload.revocationDate
        revocationReason = payload.revocationReason
        revocationType = payload.revocationType
        revocationPercentage = payload.revocationPercentage
        isUpgraded = payload.isUpgraded ?? false
        offer = Offer.stated(
            type: payload.offerType, identifier: payload.offerIdentifier,
            discountType: payload.offerDiscountType, period: payload.offerPeriod)
        storefront = payload.storefront
        transactionReason = payload.transactionReason
        price = payload.price
        currency = payload.currency
        billingPlanType = payload.billingPlanType
        commitment = payload.commitmentInfo.map { info in
            Commitment(
                billingPeriodNumber: info.billingPeriodNumber,
                totalBillingPeriods: info.totalBillingPeriods,
                commitmentExpiresDate: info.commitmentExpiresDate,
                commitmentPrice: info.commitmentPrice)
        }
    }
}

extension RenewalSnapshot {
    public init(_ payload: RenewalPayload) {
        self.init()
        productId = payload.productId
        autoRenewProductId = payload.autoRenewProductId
        autoRenewStatus = payload.autoRenewStatus
        expirationIntent = payload.expirationIntent
        isInBillingRetryPeriod = payload.isInBillingRetryPeriod
        gracePeriodExpiresDate = payload.gracePeriodExpiresDate
        priceIncreaseStatus = payload.priceIncreaseStatus
        renewalDate = payload.renewalDate
        signedDate = payload.signedDate
        renewalPrice = payload.renewalPrice
        currency = payload.currency
        appAccountToken = payload.appAccountToken
        offer = Offer.stated(
            type: payload.offerType, identifier: payload.offerIdentifier,
            discountType: payload.offerDiscountType, period: payload.offerPeriod)
        renewalBillingPlanType = payload.renewalBillingPlanType
        commitment = payload.commitmentInfo.map { info in
            Commitment(
                autoRenewProductId: info.commitmentAutoRenewProductId,
                autoRenewStatus: info.commitmentAutoRenewStatus,
                renewalDate: info.commitmentRenewalDate,
                renewalPrice: info.commitmentRenewalPrice,
                renewalBillingPlanType: info.commitmentRenewalBillingPlanType)
        }
    }
}
