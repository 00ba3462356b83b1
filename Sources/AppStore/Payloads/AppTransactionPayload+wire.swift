extension AppTransactionPayload {
    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "receiptType": try cursor.read(&receiptType, key)
        case "appAppleId": try cursor.read(&appAppleId, key)
        case "bundleId": try cursor.read(&bundleId, key)
        case "applicationVersion": try cursor.read(&applicationVersion, key)
        case "versionExternalIdentifier": try cursor.read(&versionExternalIdentifier, key)
        case "receiptCreationDate": try cursor.read(&receiptCreationDate, key)
        case "originalPurchaseDate": try cursor.read(&originalPurchaseDate, key)
        case "originalApplicationVersion": try cursor.read(&originalApplicationVersion, key)
        case "preorderDate": try cursor.read(&preorderDate, key)
        case "deviceVerification": try cursor.read(&deviceVerification, key)
        case "deviceVerificationNonce": try cursor.read(&deviceVerificationNonce, key)
        case "appTransactionId": try cursor.read(&appTransactionId, key)
        case "originalPlatform": try cursor.read(&originalPlatform, key)
        case "storeType": try cursor.read(&storeType, key)
        case "requestDate": try cursor.read(&requestDate, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("receiptType", receiptType)
        json.memberIfPresent("appAppleId", appAppleId)
        json.memberIfPresent("bundleId", bundleId)
        json.memberIfPresent("applicationVersion", applicationVersion)
        json.memberIfPresent("versionExternalIdentifier", versionExternalIdentifier)
        json.memberIfPresent("receiptCreationDate", receiptCreationDate?.milliseconds)
        json.memberIfPresent("originalPurchaseDate", originalPurchaseDate?.milliseconds)
        json.memberIfPresent("originalApplicationVersion", originalApplicationVersion)
        json.memberIfPresent("preorderDate", preorderDate?.milliseconds)
        json.memberIfPresent("deviceVerification", deviceVerification)
        json.memberIfPresent("deviceVerificationNonce", deviceVerificationNonce)
        json.memberIfPresent("appTransactionId", appTransactionId)
        json.memberIfPresent("originalPlatform", originalPlatform)
        json.memberIfPresent("storeType", storeType)
        json.memberIfPresent("requestDate", requestDate?.milliseconds)
    }

    public var unknownValues: [String] {
        var names = UnknownValueNames()
        names.check("receiptType", receiptType)
        names.check("originalPlatform", originalPlatform)
        names.check("storeType", storeType)
        return names.names
    }
}
