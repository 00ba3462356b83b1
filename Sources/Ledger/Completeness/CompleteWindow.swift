public import AppStore

/// An interval `[from, through)` of signedDates that sweeps of Apple's history covered. Where an
/// answer states one, every notification Apple sent in it is stored; earlier ones may be missing.
public struct CompleteWindow: Hashable, Sendable {
    public var from: Timestamp
    public var through: Timestamp

    public init(from: Timestamp, through: Timestamp) {
        self.from = from
        self.through = through
    }

    /// The smallest window that covers all of these; nil for none.
    package init?(covering windows: [CompleteWindow]) {
        guard let from = windows.map(\.from).min(), let through = windows.map(\.through).max()
        else { return nil }
        self.init(from: from, through: through)
    }
}

extension CompleteWindow? {
    /// Writes `completeFrom` and `completeThrough`, both null without a window.
    public func writeMembers(to json: inout JSONWriter) {
        json.member("completeFrom", self?.from)
        json.member("completeThrough", self?.through)
    }
}
