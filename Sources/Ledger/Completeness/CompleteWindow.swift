public import AppStore

/// The interval `[from, through)` of signedDates for which every notification Apple sent is stored.
/// Nothing is claimed about earlier ones.
public struct CompleteWindow: Hashable, Sendable {
    public let from: Timestamp
    public let through: Timestamp

    public init(from: Timestamp, through: Timestamp) {
        self.from = from
        self.through = through
    }
}

extension CompleteWindow? {
    /// Writes `completeFrom` and `completeThrough`, both null without a window.
    public func writeMembers(to json: inout JSONWriter) {
        json.member("completeFrom", self?.from)
        json.member("completeThrough", self?.through)
    }
}
