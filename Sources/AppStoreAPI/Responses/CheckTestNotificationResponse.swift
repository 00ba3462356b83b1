public import AppStore

/// Delivery status of a TEST notification (App Store Server API, Get Test Notification Status).
public struct CheckTestNotificationResponse: WireObject {
    /// Compact JWS of the TEST notification.
    public var signedPayload: String?
    /// Results of the deliveries, at most six.
    public var sendAttempts: [SendAttemptItem]?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "signedPayload": try cursor.read(&signedPayload, key)
        case "sendAttempts": try cursor.read(&sendAttempts, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("signedPayload", signedPayload)
        if let sendAttempts { json.array("sendAttempts", sendAttempts) }
    }

    public var unknownValues: [String] {
        var names: [String] = []
        for name in (sendAttempts ?? []).flatMap(\.unknownValues)
        where !names.contains("sendAttempts.\(name)") {
            names.append("sendAttempts.\(name)")
        }
        return names
    }
}
