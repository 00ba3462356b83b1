/// What a token authorizes (`Contract.md`, HTTP). Only `read` includes others: `support` and
/// `reports`.
public enum Scope: String, Sendable, CaseIterable {
    /// Queries and feeds.
    case read
    /// Queries about people: customers, subscriptions and events; no reports.
    case support
    /// Reports; nothing about people.
    case reports
    /// Uploads from apps and back ends; links and grants.
    case write
    /// Signatures that an app passes to StoreKit.
    case sign
    /// Operator actions on the ledger itself.
    case admin
}
