/// One in-app purchase of an app receipt: attribute 17 with its own attributes 1701 to 1721 (App
/// Store Receipts; `Receipts.md`). Without renewal state.
@dynamicMemberLookup
public struct InAppPurchaseReceipt: Hashable, Sendable {
    /// What verifyReceipt states of the same purchase, as far as the attributes state it.
    ///
    /// In Xcode's receipts the transaction id is "0" and the original one absent. The purchase date
    /// is the start of this purchase, renewal or restore. Apple does not document 1713
    /// (`isTrialPeriod`) and 1721 (`promotionalOfferId`).
    public internal(set) var purchase = ReceiptTransaction()
    /// 1707; not documented.
    public internal(set) var productType: Raw<ReceiptProductType>?
    /// Attributes not listed here, in input order.
    public internal(set) var otherAttributes: [ReceiptAttribute] = []

    public subscript<Value>(dynamicMember field: KeyPath<ReceiptTransaction, Value>) -> Value {
        purchase[keyPath: field]
    }
}
