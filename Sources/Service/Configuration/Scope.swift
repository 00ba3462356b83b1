/// What a token may be used for (`contract.md`, HTTP). None includes another.
public enum Scope: String, Sendable, CaseIterable {
    /// Questions and feeds.
    case read
    /// Uploads from apps and back ends; links and grants.
    case write
    /// What an operator does to the ledger itself.
    case admin
}
