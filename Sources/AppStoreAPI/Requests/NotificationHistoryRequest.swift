public import AppStore

/// Filter of the notification history (App Store Server API, `NotificationHistoryRequest`). Every
/// page repeats it; empty fields must be absent.
public struct NotificationHistoryRequest: APIObject {
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

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("startDate", &startDate)
        visitor.visit("endDate", &endDate)
        visitor.visit("notificationType", &notificationType)
        visitor.visit("notificationSubtype", &notificationSubtype)
        visitor.visit("transactionId", &transactionId)
        visitor.visit("onlyFailures", &onlyFailures)
    }
}
