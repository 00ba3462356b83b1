public import AppStore

/// The state of a recovery.
public struct RecoveryRecord: Hashable, Sendable {
    /// Identifies window and filter.
    public let id: String
    /// When it began, by this machine's clock.
    public let requestedAt: Timestamp
    /// When it began, by Apple's clock, if known.
    public var appleRequestedAt: Timestamp?
    /// The end of the log before it.
    public let startPosition: Int64
    /// The end of the log after the last page.
    public let reached: ProjectionCursor
    /// Whether something received could not be recorded.
    public var isFlawed: Bool
    /// The slices by pass and time, including finished ones.
    public var slices: [RecoverySlice]
}

/// A slice of a recovery's window in one of its passes.
public struct RecoverySlice: Hashable, Sendable {
    public let pass: Int64
    public let from: Timestamp
    public let to: Timestamp
    /// Apple's token of the next page; nil for the first.
    public var place: String?
    /// Notifications in its pages so far.
    public var fetchedCount: Int64
    public var isDone: Bool
}

extension RecoverySlice {
    /// A slice that was not started.
    public init(pass: Int64, from: Timestamp, to: Timestamp) {
        self.init(pass: pass, from: from, to: to, place: nil, fetchedCount: 0, isDone: false)
    }
}
