/// A response that may be one page of several.
public protocol PagedResponse: Sendable {
    /// Whether another page follows.
    var isFollowed: Bool { get }
    /// The token of the next page.
    var nextPlace: String? { get }
    /// The compact JWS on the page, in order.
    var signedItems: [String] { get }
}

extension HistoryResponse: PagedResponse {
    public var isFollowed: Bool { hasMore ?? false }
    public var nextPlace: String? { revision }
    public var signedItems: [String] { signedTransactions ?? [] }
}

extension NotificationHistoryResponse: PagedResponse {
    public var isFollowed: Bool { hasMore ?? false }
    public var nextPlace: String? { paginationToken }
    public var signedItems: [String] { (notificationHistory ?? []).compactMap(\.signedPayload) }
}
