/// A decoded notification (App Store Server Notifications, `responseBodyV2DecodedPayload`). Exactly
/// one of data, summary, externalPurchaseToken and appData is present in a conforming one.
public struct NotificationPayload: WireObject {
    /// What happened.
    public var notificationType: Raw<NotificationType>?
    /// Detail; only some types have one.
    public var subtype: Raw<Subtype>?
    /// Identical on every redelivery.
    public var notificationUUID: NotificationUUID?
    /// `2.0`; absent from the oldest.
    public var version: String?
    /// When Apple signed the notification. Absent before mid-2022.
    public var signedDate: Timestamp?
    /// For events about one customer's purchase.
    public var data: NotificationData?
    /// For `RENEWAL_EXTENSION`/`SUMMARY`.
    public var summary: NotificationSummary?
    /// For `EXTERNAL_PURCHASE_TOKEN`.
    public var externalPurchaseToken: ExternalPurchaseToken?
    /// For `RESCIND_CONSENT`.
    public var appData: AppData?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "notificationType": try cursor.read(&notificationType, key)
        case "subtype": try cursor.read(&subtype, key)
        case "notificationUUID": try cursor.read(&notificationUUID, key)
        case "version": try cursor.read(&version, key)
        case "signedDate": try cursor.read(&signedDate, key)
        case "data": try cursor.read(&data, key)
        case "summary": try cursor.read(&summary, key)
        case "externalPurchaseToken": try cursor.read(&externalPurchaseToken, key)
        case "appData": try cursor.read(&appData, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("notificationType", notificationType)
        json.memberIfPresent("subtype", subtype)
        json.memberIfPresent("notificationUUID", notificationUUID)
        json.memberIfPresent("version", version)
        json.memberIfPresent("signedDate", signedDate?.milliseconds)
        json.memberIfPresent("data", data)
        json.memberIfPresent("summary", summary)
        json.memberIfPresent("externalPurchaseToken", externalPurchaseToken)
        json.memberIfPresent("appData", appData)
    }

    public var unknownValues: [String] {
        var names = UnknownValueNames()
        names.check("notificationType", notificationType)
        names.check("subtype", subtype)
        names.check("data", data)
        names.check("summary", summary)
        names.check("externalPurchaseToken", externalPurchaseToken)
        names.check("appData", appData)
        return names.names
    }
}
