import AppStore

/// A half-open stretch `[from, to)` of valid time with one state, one product and one transaction
/// (`Lifecycle.md` §3).
public struct Interval: HalfOpen, Hashable, Sendable {
    public var state: ChainState
    public var from: Timestamp
    /// Nil while it is open.
    public var to: Timestamp?
    public var productId: ProductId?
    public var transactionId: TransactionId
    /// Index of the governing period.
    var period: Int
    /// The facts that prove the start of the state.
    var proof: Proof
    /// Why access ended; nil for entitled intervals.
    public var reason: EndReason?

    /// The first of those facts.
    var cause: Int { proof.cause }
}
