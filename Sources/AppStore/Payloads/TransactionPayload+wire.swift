extension TransactionPayload {
    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        if try readPurchase(key, &cursor) { return true }
        if try readOfferAndRevocation(key, &cursor) { return true }
        return try readPrice(key, &cursor)
    }

    private mutating func readPurchase(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "transactionId": try cursor.read(&transactionId, key)
        case "originalTransactionId": try cursor.read(&originalTransactionId, key)
        case "webOrderLineItemId": try cursor.read(&webOrderLineItemId, key)
        case "bundleId": try cursor.read(&bundleId, key)
        case "productId": try cursor.read(&productId, key)
        case "subscriptionGroupIdentifier": try cursor.read(&subscriptionGroupIdentifier, key)
        case "purchaseDate": try cursor.read(&purchaseDate, key)
        case "originalPurchaseDate": try cursor.read(&originalPurchaseDate, key)
        case "expiresDate": try cursor.read(&expiresDate, key)
        case "quantity": try cursor.read(&quantity, key)
        case "type": try cursor.read(&type, key)
        case "appAccountToken": try cursor.read(&appAccountToken, key)
        case "inAppOwnershipType": try cursor.read(&inAppOwnershipType, key)
        case "signedDate": try cursor.read(&signedDate, key)
        default: return false
        }
        return true
    }

    private mutating func readOfferAndRevocation(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "revocationDate": try cursor.read(&revocationDate, key)
        case "revocationReason": try cursor.read(&revocationReason, key)
        case "revocationType": try cursor.read(&revocationType, key)
        case "revocationPercentage": try cursor.read(&revocationPercentage, key)
        case "isUpgraded": try cursor.read(&isUpgraded, key)
        case "offerType": try cursor.read(&offerType, key)
        case "offerIdentifier": try cursor.read(&offerIdentifier, key)
        case "offerDiscountType": try cursor.read(&offerDiscountType, key)
        case "offerPeriod": try cursor.read(&offerPeriod, key)
        case "environment": try cursor.read(&environment, key)
        case "storefront": try cursor.read(&storefront, key)
        case "storefrontId": try cursor.read(&storefrontId, key)
        case "transactionReason": try cursor.read(&transactionReason, key)
        case "price": try cursor.read(&price, key)
        default: return false
        }
        return true
    }

    private mutating func readPrice(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "currency": try cursor.read(&currency, key)
        case "appTransactionId": try cursor.read(&appTransactionId, key)
        case "billingPlanType": try cursor.read(&billingPlanType, key)
        case "commitmentInfo": try cursor.read(&commitmentInfo, key)
        case "advancedCommerceInfo": try cursor.read(&advancedCommerceInfo, key)
        case "previousOriginalTransactionId": try cursor.read(&previousOriginalTransactionId, key)
        case "deviceVerification": try cursor.read(&deviceVerification, key)
        case "deviceVerificationNonce": try cursor.read(&deviceVerificationNonce, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("transactionId", transactionId)
        json.memberIfPresent("originalTransactionId", originalTransactionId)
        json.memberIfPresent("webOrderLineItemId", webOrderLineItemId)
        json.memberIfPresent("bundleId", bundleId)
        json.memberIfPresent("productId", productId)
        json.memberIfPresent("subscriptionGroupIdentifier", subscriptionGroupIdentifier)
        json.memberIfPresent("purchaseDate", purchaseDate?.milliseconds)
        json.memberIfPresent("originalPurchaseDate", originalPurchaseDate?.milliseconds)
        json.memberIfPresent("expiresDate", expiresDate?.milliseconds)
        json.memberIfPresent("quantity", quantity)
        json.memberIfPresent("type", type)
        json.memberIfPresent("appAccountToken", appAccountToken)
        json.memberIfPresent("inAppOwnershipType", inAppOwnershipType)
        json.memberIfPresent("signedDate", signedDate?.milliseconds)
        json.memberIfPresent("revocationDate", revocationDate?.milliseconds)
        json.memberIfPresent("revocationReason", revocationReason)
        json.memberIfPresent("revocationType", revocationType)
        json.memberIfPresent("revocationPercentage", revocationPercentage)
        json.memberIfPresent("isUpgraded", isUpgraded)
        json.memberIfPresent("offerType", offerType)
        json.memberIfPresent("offerIdentifier", offerIdentifier)
        json.memberIfPresent("offerDiscountType", offerDiscountType)
        json.memberIfPresent("offerPeriod", offerPeriod)
        json.memberIfPresent("environment", environment)
        json.memberIfPresent("storefront", storefront)
        json.memberIfPresent("storefrontId", storefrontId)
        json.memberIfPresent("transactionReason", transactionReason)
        json.memberIfPresent("price", price)
        json.memberIfPresent("currency", currency)
        json.memberIfPresent("appTransactionId", appTransactionId)
        json.memberIfPresent("billingPlanType", billingPlanType)
        json.memberIfPresent("commitmentInfo", commitmentInfo)
        json.memberIfPresent("advancedCommerceInfo", advancedCommerceInfo)
        json.memberIfPresent("previousOriginalTransactionId", previousOriginalTransactionId)
        json.memberIfPresent("deviceVerification", deviceVerification)
        json.memberIfPresent("deviceVerificationNonce", deviceVerificationNonce)
    }

    public var unknownValues: [String] {
        var names = UnknownValueNames()
        names.check("type", type)
        names.check("inAppOwnershipType", inAppOwnershipType)
        names.check("revocationReason", revocationReason)
        names.check("revocationType", revocationType)
        names.check("offerType", offerType)
        names.check("offerDiscountType", offerDiscountType)
        names.check("environment", environment)
        names.check("transactionReason", transactionReason)
        names.check("billingPlanType", billingPlanType)
        names.check("commitmentInfo", commitmentInfo)
        names.check("advancedCommerceInfo", advancedCommerceInfo)
        return names.names
    }
}
