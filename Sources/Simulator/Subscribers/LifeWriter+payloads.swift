import AppStore

/// Payloads Apple would sign, from the current books.
extension LifeWriter {
    func transactionPayload(
        _ index: Int, as id: TransactionId? = nil, at moment: Timestamp
    ) -> TransactionPayload {
        let period = periods[index]
        let product = period.product
        var payload = TransactionPayload()
        payload.transactionId = id ?? period.identity
        payload.originalTransactionId = OriginalTransactionId(
            periods[0].transactionIds[0].rawValue)
        payload.webOrderLineItemId = period.webOrderLineItemId
        payload.bundleId = world.bundleId
        payload.productId = product.productId
        payload.subscriptionGroupIdentifier = product.group.map { _ in
            SubscriptionGroupIdentifier("20844561")
        }
        let isRestored = payload.transactionId != period.transactionIds[0]
        payload.purchaseDate = isRestored ? period.restoredAt ?? period.start : period.start
        payload.originalPurchaseDate = periods[0].start
        payload.expiresDate = product.type == .autoRenewableSubscription ? period.statedEnd : nil
        payload.quantity = 1
        payload.type = Raw(product.type)
        payload.appAccountToken = traits.appAccountToken
        payload.inAppOwnershipType = Raw(traits.isFamilyShared ? .familyShared : .purchased)
        payload.signedDate = moment
        payload.environment = Raw(traits.pace.environment)
        payload.storefront = traits.storefront
        payload.storefrontId = "143441"
        payload.transactionReason = traits.statesReason ? Raw(period.reason) : nil
        payload.price = period.price
        payload.currency = traits.currency
        payload.isUpgraded = period.isUpgraded ? true : nil
        fillOffer(&payload, period)
        fillRevocation(&payload, period)
        fillCommitment(&payload, period)
        return payload
    }

    private func fillOffer(_ payload: inout TransactionPayload, _ period: SimulatedPeriod) {
        guard let offer = period.offer else { return }
        payload.offerType = Raw(offer.type)
        payload.offerIdentifier = offer.identifier
        guard traits.statesDiscountType else { return }
        payload.offerDiscountType = Raw(offer.discountType)
        payload.offerPeriod = offer.period.description
    }

    private func fillRevocation(_ payload: inout TransactionPayload, _ period: SimulatedPeriod) {
        guard let revocation = period.revocation else { return }
        payload.revocationDate = revocation.date
        payload.revocationReason = Raw(revocation.reason)
        guard traits.statesDiscountType else { return }
        payload.revocationType = Raw(revocation.type)
        payload.revocationPercentage = revocation.percentage
    }

    private func fillCommitment(_ payload: inout TransactionPayload, _ period: SimulatedPeriod) {
        guard let total = period.product.commitmentPeriods else { return }
        payload.billingPlanType = Raw(.monthly)
        var info = TransactionCommitmentInfo()
        info.billingPeriodNumber = period.commitmentNumber
        info.totalBillingPeriods = total
        info.commitmentExpiresDate = period.commitmentEnd
        info.commitmentPrice = period.product.price * total
        payload.commitmentInfo = info
    }

    func renewalPayload(at moment: Timestamp) -> RenewalPayload {
        let period = currentPeriod
        var payload = RenewalPayload()
        payload.originalTransactionId = OriginalTransactionId(
            periods[0].transactionIds[0].rawValue)
        payload.productId = period.product.productId
        payload.autoRenewProductId = renewal.nextProduct.productId
        payload.autoRenewStatus = Raw(renewal.willRenew ? .on : .off)
        payload.expirationIntent = renewal.intent.map { Raw($0) }
        payload.isInBillingRetryPeriod = renewal.isInBillingRetry
        payload.gracePeriodExpiresDate = renewal.graceEnd
        payload.priceIncreaseStatus = renewal.priceIncrease.map { Raw($0) }
        payload.renewalDate = period.end
        if renewal.willRenew {
            payload.renewalPrice = renewal.nextOffer?.price ?? renewal.nextProduct.price
            payload.currency = traits.currency
        }
        if let offer = renewal.nextOffer {
            payload.offerType = Raw(offer.type)
            payload.offerIdentifier = offer.identifier
            if traits.statesDiscountType { payload.offerDiscountType = Raw(offer.discountType) }
        }
        payload.appAccountToken = traits.appAccountToken
        payload.environment = Raw(traits.pace.environment)
        payload.signedDate = moment
        if period.product.commitmentPeriods != nil {
            payload.renewalBillingPlanType = Raw(.monthly)
            var info = RenewalCommitmentInfo()
            info.commitmentAutoRenewProductId = renewal.nextProduct.productId
            info.commitmentAutoRenewStatus = Raw(renewal.commitmentWillRenew ? .on : .off)
            info.commitmentRenewalBillingPlanType = Raw(.monthly)
            info.commitmentRenewalDate = period.commitmentEnd
            info.commitmentRenewalPrice = renewal.nextProduct.price
            payload.commitmentInfo = info
        }
        return payload
    }
}
