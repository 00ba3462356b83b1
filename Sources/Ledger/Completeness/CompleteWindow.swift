public import AppStore

/// The time of which it is certain that everything Apple sent is here: signed in `[from, through)`.
/// Of what was signed before, nobody claims anything.
public struct CompleteWindow: Hashable, Sendable {
    public let from: Timestamp
    public let through: Timestamp

    /// A window of these bounds.
    public init(from: Timestamp, through: Timestamp) {
        self.from = from
        self.through = through
    }
}

extension CompleteWindow? {
    /// `completeFrom` and `completeThrough`, both null when nothing is certain.
    public func writeMembers(to json: inout JSONWriter) {
        json.member("completeFrom", self?.from)
        json.member("completeThrough", self?.through)
    }
}
