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
    /// Whether something received could not be recorded.
    public var isFlawed: Bool
    /// The slices by pass and time, including finished ones.
    public var slices: [RecoverySlice]

    package init(
        id: String, requestedAt: Timestamp, appleRequestedAt: Timestamp?, startPosition: Int64,
        isFlawed: Bool, slices: [RecoverySlice]
    ) {
        self.id = id
        self.requestedAt = requestedAt
        self.appleRequestedAt = appleRequestedAt
        self.startPosition = startPosition
        self.isFlawed = isFlawed
        self.slices = slices
    }
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

    /// A slice that was not started.
    public init(pass: Int64, from: Timestamp, to: Timestamp) {
        self.pass = pass
        self.from = from
        self.to = to
        place = nil
        fetchedCount = 0
        isDone = false
    }

    package init(
        pass: Int64, from: Timestamp, to: Timestamp, place: String?, fetchedCount: Int64,
        isDone: Bool
    ) {
        self.init(pass: pass, from: from, to: to)
        self.place = place
        self.fetchedCount = fetchedCount
        self.isDone = isDone
    }
}
