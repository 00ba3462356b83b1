public import AppStore

/// A page of the notifications Apple sent (App Store Server API, Get Notification History).
public struct NotificationHistoryResponse: WireObject {
    /// At most 20.
    public var notificationHistory: [NotificationHistoryResponseItem]?
    /// Whether another page follows.
    public var hasMore: Bool?
    /// Token of the next page; expires.
    public var paginationToken: String?

    /// Members with unknown keys, in order.
    public var unknown = UnknownMembers()

    /// All fields absent.
    public init() {}

    public mutating func readField(
        _ key: JSONKey, _ cursor: inout JSONCursor
    ) throws(JSONError) -> Bool {
        switch key {
        case "notificationHistory": try cursor.read(&notificationHistory, key)
        case "hasMore": try cursor.read(&hasMore, key)
        case "paginationToken": try cursor.read(&paginationToken, key)
        default: return false
        }
        return true
    }

    public func writeFields(_ json: inout JSONWriter) {
        if let notificationHistory { json.array("notificationHistory", notificationHistory) }
        json.memberIfPresent("hasMore", hasMore)
        json.memberIfPresent("paginationToken", paginationToken)
    }

    public var unknownValues: [String] {
        var names: [String] = []
        for name in (notificationHistory ?? []).flatMap(\.unknownValues)
        where !names.contains("notificationHistory.\(name)") {
            names.append("notificationHistory.\(name)")
        }
        return names
    }
}
