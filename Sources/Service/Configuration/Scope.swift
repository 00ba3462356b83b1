/// What a token authorizes (`Contract.md`, HTTP). No scope includes another.
public enum Scope: String, Sendable, CaseIterable {
    /// Queries and feeds.
    case read
    /// Uploads from apps and back ends; links and grants.
    case write
    /// Operator actions on the ledger itself.
    case admin
}
