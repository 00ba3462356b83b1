/// Order of a history, by when a transaction was last modified (App Store Server API, `sort`).
public enum HistoryOrder: String, Sendable, CaseIterable {
    /// Oldest first: a walk can resume from its last revision.
    case ascending = "ASCENDING"
    /// Newest first.
    case descending = "DESCENDING"
}
