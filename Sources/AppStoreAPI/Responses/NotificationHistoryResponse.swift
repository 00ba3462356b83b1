public import AppStore

/// A page of the notifications Apple sent (App Store Server API, Get Notification History).
public struct NotificationHistoryResponse: APIObject {
    /// At most 20.
    public var notificationHistory: [NotificationHistoryResponseItem]?
    /// Whether another page follows.
    public var hasMore: Bool?
    /// Token of the next page; expires.
    public var paginationToken: String?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("notificationHistory", &notificationHistory)
        visitor.visit("hasMore", &hasMore)
        visitor.visit("paginationToken", &paginationToken)
    }
}
