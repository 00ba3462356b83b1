import AppStore

extension TransactionSnapshot {
    /// Nil without the ids that identify the transaction and its chain.
    ///
    /// A receipt states less than a signed transaction: no price, storefront or reason. A field
    /// missing from a receipt is not a statement (`TransactionRecord.completed`).
    public init?(_ receipt: ReceiptTransaction) {
        guard let id = receipt.transactionId,
            let original = receipt.originalTransactionId ?? id.asOriginal
        else { return nil }
        self.init(transactionId: id, originalTransactionId: original)
        webOrderLineItemId = receipt.webOrderLineItemId
        productId = receipt.productId
        subscriptionGroupIdentifier = receipt.subscriptionGroupIdentifier
        purchaseDate = receipt.purchaseDate
        originalPurchaseDate = receipt.originalPurchaseDate
        expiresDate = receipt.expiresDate
        quantity = receipt.quantity
        // Only subscriptions that renew have an end; the type of anything else is not stated.
        type = receipt.expiresDate == nil ? nil : Raw(.autoRenewableSubscription)
        appAccountToken = receipt.appAccountToken?.lowercased()
        inAppOwnershipType = receipt.inAppOwnershipType
        isUpgraded = receipt.isUpgraded ?? false
        // An upgraded purchase is also cancelled, and partly refunded by its replacement.
        revocationDate = receipt.cancellationDate
        revocationReason = receipt.cancellationDate == nil ? nil : receipt.cancellationReason
        offer = receipt.offer
        isTrialPeriod = receipt.isTrialPeriod
    }
}

extension TransactionSnapshot {
    /// From a purchase in an app receipt; nil without its transaction id.
    public init?(_ receipt: InAppPurchaseReceipt) {
        self.init(receipt.purchase)
        // A purchase with an end renews, whatever the undocumented attribute states.
        if type == nil, let known = receipt.productType?.value?.productType,
            known != .autoRenewableSubscription
        {
            type = Raw(known)
        }
    }
}

extension ReceiptTransaction {
    /// The offer it was bought with; nil if none is stated.
    fileprivate var offer: Offer? {
        let discountType: Raw<OfferDiscountType>? = isTrialPeriod == true ? Raw(.freeTrial) : nil
        if let promotionalOfferId {
            return Offer(
                type: Raw(.promotionalOffer), identifier: promotionalOfferId,
                discountType: discountType)
        }
        if let offerCodeRefName {
            return Offer(
                type: Raw(.offerCode), identifier: offerCodeRefName, discountType: discountType)
        }
        guard isTrialPeriod == true || isInIntroOfferPeriod == true else { return nil }
        return Offer(type: Raw(.introductoryOffer), discountType: discountType)
    }
}

extension RenewalSnapshot {
    /// From a receipt's statement about the next renewal.
    public init(_ info: PendingRenewalInfo) {
        self.init()
        productId = info.productId
        autoRenewProductId = info.autoRenewProductId
        autoRenewStatus = info.autoRenewStatus
        expirationIntent = info.expirationIntent
        isInBillingRetryPeriod = info.isInBillingRetryPeriod
        gracePeriodExpiresDate = info.gracePeriodExpiresDate
        priceIncreaseStatus = info.priceIncreaseStatus
        if let id = info.promotionalOfferId {
            offer = Offer(type: Raw(.promotionalOffer), identifier: id)
        } else if let name = info.offerCodeRefName {
            offer = Offer(type: Raw(.offerCode), identifier: name)
        }
    }
}
