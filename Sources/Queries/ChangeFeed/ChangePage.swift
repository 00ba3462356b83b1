public import Ledger

/// A page of changes in feed order, and the next cursor.
public struct ChangePage: Sendable {
    public var changes: [FeedChange] = []
    /// The cursor after this page.
    public var next: ChangePlace
    /// Whether the page reached the end at the time.
    public var isEnd: Bool
}
