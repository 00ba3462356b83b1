public import AppStore

/// A stretch `[from, to)` of a subscriber's life with one state, as the ledger has to tell it
/// (`lifecycle.md` §3: one per governing period and state).
public struct TrueInterval: Hashable, Sendable {
    /// The state throughout.
    public let state: TrueState
    /// Its first moment.
    public let from: Timestamp
    /// Nil while it is open.
    public internal(set) var to: Timestamp?
    /// Product of the governing period.
    public let productId: ProductId
    /// Transaction of the governing period: of restores of it, the one stated last.
    public let transactionId: TransactionId
    /// Why there is no access; nil while there is some, and for one-time purchases that ended as
    /// they were meant to.
    public let reason: TrueReason?
    /// Index of the governing period.
    let period: Int

    /// Whether the moment lies in the interval.
    public func contains(_ moment: Timestamp) -> Bool {
        from <= moment && (to.map { moment < $0 } ?? true)
    }
}
