public import AppStore

/// An interval `[from, to)` of a subscriber's life with one state, as the ledger must report it
/// (`Lifecycle.md` §3: one per governing period and state).
public struct TrueInterval: Hashable, Sendable {
    public let state: TrueState
    public let from: Timestamp
    /// Nil while it is open.
    public internal(set) var to: Timestamp?
    /// Product of the governing period.
    public let productId: ProductId
    /// Transaction of the governing period; with restores, the one stated last.
    public let transactionId: TransactionId
    /// Why there is no access; nil with access, and for one-time purchases that ended as intended.
    public let reason: TrueReason?
    /// Index of the governing period.
    package let period: Int

    /// Whether the time is in the interval.
    public func contains(_ moment: Timestamp) -> Bool {
        from <= moment && (to.map { moment < $0 } ?? true)
    }
}
