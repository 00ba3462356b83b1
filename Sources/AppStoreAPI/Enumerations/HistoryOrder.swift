/// Order of a history, by when a transaction was last modified (App Store Server API, `sort`).
public enum HistoryOrder: String, Sendable, CaseIterable {
    /// Oldest first: its last revision can be gone on from.
    case ascending = "ASCENDING"
    /// Newest first.
    case descending = "DESCENDING"
}
