/// One in-app purchase of an app receipt: attribute 17 with its own attributes 1701 to 1721 (App
/// Store Receipts; `Receipts.md`). Without renewal state.
public struct InAppPurchaseReceipt: Hashable, Sendable {
    /// 1701.
    public internal(set) var quantity: Int64?
    /// 1702.
    public internal(set) var productId: ProductId?
    /// 1703. "0" in Xcode's receipts.
    public internal(set) var transactionId: TransactionId?
    /// 1704: start of this purchase, renewal or restore.
    public internal(set) var purchaseDate: Timestamp?
    /// 1705. Absent in Xcode's receipts.
    public internal(set) var originalTransactionId: OriginalTransactionId?
    /// 1706: purchase of the original transaction.
    public internal(set) var originalPurchaseDate: Timestamp?
    /// 1707; not documented.
    public internal(set) var productType: Raw<ReceiptProductType>?
    /// 1708; auto-renewable subscriptions only.
    public internal(set) var expiresDate: Timestamp?
    /// 1711. A number in receipts; 0 means none.
    public internal(set) var webOrderLineItemId: WebOrderLineItemId?
    /// 1712: date of the refund, or of the upgrade that ended it.
    public internal(set) var cancellationDate: Timestamp?
    /// 1713; not documented.
    public internal(set) var isTrialPeriod: Bool?
    /// 1719.
    public internal(set) var isInIntroOfferPeriod: Bool?
    /// 1721; not documented.
    public internal(set) var promotionalOfferId: String?
    /// Attributes not listed here, in input order.
    public internal(set) var otherAttributes: [ReceiptAttribute] = []
}
