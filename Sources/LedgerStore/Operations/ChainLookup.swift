public import AppStore

/// When Apple was last queried about a chain because of its notices, and which notices remained.
public struct ChainLookup: Hashable, Sendable {
    public var requestedAt: Timestamp
    /// How many times in a row the same notices stayed open.
    public var times: Int
    /// Codes of the notices that were still open afterwards, each once, in byte order.
    public var notices: [String]

    public init(requestedAt: Timestamp, times: Int, notices: [String]) {
        self.requestedAt = requestedAt
        self.times = times
        self.notices = notices
    }
}
