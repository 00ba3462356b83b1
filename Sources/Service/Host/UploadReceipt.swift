import AppStore
public import Ledger

/// A transaction that was taken in: what the answer to its sender is made from.
public struct UploadReceipt: Sendable {
    public let receipt: IntakeReceipt
    public let served: ServedLedger
    /// The chain it belongs to; nil for what belongs to none.
    public let chain: ChainId?
    /// Whom the sender says the purchase belongs to.
    public let customer: CustomerId?
}
