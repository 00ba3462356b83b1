/// The subscription or purchase a notification is about (App Store Server Notifications, `data`).
public struct NotificationData: WireObject {
    /// Absent before 2022-02.
    public var environment: Raw<Environment>?
    /// Compared in Production only.
    public var appAppleId: Int64?
    /// The app.
    public var bundleId: BundleId?
    /// Build of the app.
    public var bundleVersion: String?
    /// Compact JWS of a `TransactionPayload`; verified separately.
    public var signedTransactionInfo: String?
    /// Compact JWS of a `RenewalPayload`; auto-renewable subscriptions only.
    public var signedRenewalInfo: String?
    /// At the payload's signedDate. Since 2023-06.
    public var status: Raw<SubscriptionStatus>?
    /// `CONSUMPTION_REQUEST` only.
    public var consumptionRequestReason: Raw<ConsumptionRequestReason>?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "environment": try cursor.read(&environment, key)
        case "appAppleId": try cursor.read(&appAppleId, key)
        case "bundleId": try cursor.read(&bundleId, key)
        case "bundleVersion": try cursor.read(&bundleVersion, key)
        case "signedTransactionInfo": try cursor.read(&signedTransactionInfo, key)
        case "signedRenewalInfo": try cursor.read(&signedRenewalInfo, key)
        case "status": try cursor.read(&status, key)
        case "consumptionRequestReason": try cursor.read(&consumptionRequestReason, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("environment", environment)
        json.memberIfPresent("appAppleId", appAppleId)
        json.memberIfPresent("bundleId", bundleId)
        json.memberIfPresent("bundleVersion", bundleVersion)
        json.memberIfPresent("signedTransactionInfo", signedTransactionInfo)
        json.memberIfPresent("signedRenewalInfo", signedRenewalInfo)
        json.memberIfPresent("status", status)
        json.memberIfPresent("consumptionRequestReason", consumptionRequestReason)
    }

    public var unknownValues: [String] {
        var names = UnknownValueNames()
        names.check("environment", environment)
        names.check("status", status)
        names.check("consumptionRequestReason", consumptionRequestReason)
        return names.names
    }
}
