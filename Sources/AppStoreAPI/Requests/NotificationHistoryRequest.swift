public import AppStore

/// Filter of the notification history (App Store Server API, `NotificationHistoryRequest`). Every
/// page repeats it; empty fields must be absent.
public struct NotificationHistoryRequest: WireObject {
    /// Inclusive; at most 180 days ago in Production, 30 in Sandbox.
    public var startDate: Timestamp?
    /// Exclusive; Apple limits a future one to now.
    public var endDate: Timestamp?
    /// Only this type. Not together with transactionId.
    public var notificationType: Raw<NotificationType>?
    /// Only this subtype of the type; absent: those *without* a subtype.
    public var notificationSubtype: Raw<Subtype>?
    /// Only for the customer with this id, of any kind.
    public var transactionId: String?
    /// Only those never delivered, whether retries are pending or not.
    public var onlyFailures: Bool?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "startDate": try cursor.read(&startDate, key)
        case "endDate": try cursor.read(&endDate, key)
        case "notificationType": try cursor.read(&notificationType, key)
        case "notificationSubtype": try cursor.read(&notificationSubtype, key)
        case "transactionId": try cursor.read(&transactionId, key)
        case "onlyFailures": try cursor.read(&onlyFailures, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("startDate", startDate?.milliseconds)
        json.memberIfPresent("endDate", endDate?.milliseconds)
        json.memberIfPresent("notificationType", notificationType)
        json.memberIfPresent("notificationSubtype", notificationSubtype)
        json.memberIfPresent("transactionId", transactionId)
        json.memberIfPresent("onlyFailures", onlyFailures)
    }

    public var unknownValues: [String] {
        var names: [String] = []
        if let notificationType, notificationType.value == nil { names.append("notificationType") }
        if let notificationSubtype, notificationSubtype.value == nil {
            names.append("notificationSubtype")
        }
        return names
    }
}
