import AppStore
public import Ledger

/// An appended transaction, from which the response is built.
public struct UploadReceipt: Sendable {
    public let receipt: IntakeReceipt
    public let served: ServedLedger
    /// Its chain; nil for none.
    public let chain: ChainId?
    /// The customer that the sender names as the purchase's owner.
    public let customer: CustomerId?
}
