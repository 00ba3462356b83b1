extension RenewalPayload {
    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        if try readRenewal(key, &cursor) { return true }
        return try readContext(key, &cursor)
    }

    private mutating func readRenewal(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "originalTransactionId": try cursor.read(&originalTransactionId, key)
        case "productId": try cursor.read(&productId, key)
        case "autoRenewProductId": try cursor.read(&autoRenewProductId, key)
        case "autoRenewStatus": try cursor.read(&autoRenewStatus, key)
        case "expirationIntent": try cursor.read(&expirationIntent, key)
        case "isInBillingRetryPeriod": try cursor.read(&isInBillingRetryPeriod, key)
        case "gracePeriodExpiresDate": try cursor.read(&gracePeriodExpiresDate, key)
        case "priceIncreaseStatus": try cursor.read(&priceIncreaseStatus, key)
        case "offerType": try cursor.read(&offerType, key)
        case "offerIdentifier": try cursor.read(&offerIdentifier, key)
        case "offerDiscountType": try cursor.read(&offerDiscountType, key)
        case "offerPeriod": try cursor.read(&offerPeriod, key)
        case "recentSubscriptionStartDate": try cursor.read(&recentSubscriptionStartDate, key)
        case "renewalDate": try cursor.read(&renewalDate, key)
        default: return false
        }
        return true
    }

    private mutating func readContext(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "renewalPrice": try cursor.read(&renewalPrice, key)
        case "currency": try cursor.read(&currency, key)
        case "eligibleWinBackOfferIds": try cursor.read(&eligibleWinBackOfferIds, key)
        case "appAccountToken": try cursor.read(&appAccountToken, key)
        case "appTransactionId": try cursor.read(&appTransactionId, key)
        case "environment": try cursor.read(&environment, key)
        case "signedDate": try cursor.read(&signedDate, key)
        case "renewalBillingPlanType": try cursor.read(&renewalBillingPlanType, key)
        case "commitmentInfo": try cursor.read(&commitmentInfo, key)
        case "advancedCommerceInfo": try cursor.read(&advancedCommerceInfo, key)
        case "deviceVerification": try cursor.read(&deviceVerification, key)
        case "deviceVerificationNonce": try cursor.read(&deviceVerificationNonce, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("originalTransactionId", originalTransactionId)
        json.memberIfPresent("productId", productId)
        json.memberIfPresent("autoRenewProductId", autoRenewProductId)
        json.memberIfPresent("autoRenewStatus", autoRenewStatus)
        json.memberIfPresent("expirationIntent", expirationIntent)
        json.memberIfPresent("isInBillingRetryPeriod", isInBillingRetryPeriod)
        json.memberIfPresent("gracePeriodExpiresDate", gracePeriodExpiresDate?.milliseconds)
        json.memberIfPresent("priceIncreaseStatus", priceIncreaseStatus)
        json.memberIfPresent("offerType", offerType)
        json.memberIfPresent("offerIdentifier", offerIdentifier)
        json.memberIfPresent("offerDiscountType", offerDiscountType)
        json.memberIfPresent("offerPeriod", offerPeriod)
        json.memberIfPresent(
            "recentSubscriptionStartDate", recentSubscriptionStartDate?.milliseconds)
        json.memberIfPresent("renewalDate", renewalDate?.milliseconds)
        json.memberIfPresent("renewalPrice", renewalPrice)
        json.memberIfPresent("currency", currency)
        if let eligibleWinBackOfferIds {
            json.array("eligibleWinBackOfferIds", eligibleWinBackOfferIds)
        }
        json.memberIfPresent("appAccountToken", appAccountToken)
        json.memberIfPresent("appTransactionId", appTransactionId)
        json.memberIfPresent("environment", environment)
        json.memberIfPresent("signedDate", signedDate?.milliseconds)
        json.memberIfPresent("renewalBillingPlanType", renewalBillingPlanType)
        json.memberIfPresent("commitmentInfo", commitmentInfo)
        json.memberIfPresent("advancedCommerceInfo", advancedCommerceInfo)
        json.memberIfPresent("deviceVerification", deviceVerification)
        json.memberIfPresent("deviceVerificationNonce", deviceVerificationNonce)
    }

    public var unknownValues: [String] {
        var names = UnknownValueNames()
        names.check("autoRenewStatus", autoRenewStatus)
        names.check("expirationIntent", expirationIntent)
        names.check("priceIncreaseStatus", priceIncreaseStatus)
        names.check("offerType", offerType)
        names.check("offerDiscountType", offerDiscountType)
        names.check("environment", environment)
        names.check("renewalBillingPlanType", renewalBillingPlanType)
        names.check("commitmentInfo", commitmentInfo)
        names.check("advancedCommerceInfo", advancedCommerceInfo)
        return names.names
    }
}
