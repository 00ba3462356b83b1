internal import AppStore
public import Ledger

/// Some changes in the feed's order, and where to go on.
public struct ChangePage: Sendable {
    public var changes: [FeedChange] = []
    /// The cursor after this page.
    public var next: ChangePlace
    /// Whether there was nothing more at the time.
    public var isEnd: Bool
}
