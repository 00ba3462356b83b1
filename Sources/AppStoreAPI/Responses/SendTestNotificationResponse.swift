public import AppStore

/// A TEST notification was requested (App Store Server API, Request a Test Notification).
public struct SendTestNotificationResponse: APIObject {
    /// Identifies it, for about six months.
    public var testNotificationToken: String?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("testNotificationToken", &testNotificationToken)
    }
}
