public import AppStore

/// A TEST notification was requested (App Store Server API, Request a Test Notification).
public struct SendTestNotificationResponse: WireObject {
    /// Identifies it, for about six months.
    public var testNotificationToken: String?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "testNotificationToken": try cursor.read(&testNotificationToken, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        json.memberIfPresent("testNotificationToken", testNotificationToken)
    }
}
