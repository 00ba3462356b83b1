/// The payload of an app receipt: the contents of a device's `appStoreReceiptURL` without its
/// signature (App Store Receipts; `Receipts.md`). A field is nil if its attribute is missing or
/// empty.
public struct AppReceipt: Hashable, Sendable {
    /// 0.
    public internal(set) var receiptType: Raw<ReceiptType>?
    /// 1: the app's id in the App Store. 0, as in Sandbox, means none.
    public internal(set) var appAppleId: Int64?
    /// 2.
    public internal(set) var bundleId: BundleId?
    /// 2, the DER value as received; these bytes are part of the device hash.
    public internal(set) var bundleIdValue: [UInt8] = []
    /// 3.
    public internal(set) var applicationVersion: String?
    /// 4: the unpredictable part of the device hash.
    public internal(set) var opaqueValue: [UInt8] = []
    /// 5: SHA-1 over the device's identifier, `opaqueValue` and `bundleIdValue`.
    public internal(set) var deviceHash: [UInt8] = []
    /// 12: when the App Store made the receipt. Its certificates are verified at this date.
    public internal(set) var creationDate: Timestamp?
    /// 15. 0 means none.
    public internal(set) var downloadId: Int64?
    /// 16. 0 means none.
    public internal(set) var versionExternalIdentifier: Int64?
    /// 17, in input order, which is not chronological.
    public internal(set) var inAppPurchases: [InAppPurchaseReceipt] = []
    /// 18: when the app itself was bought.
    public internal(set) var originalPurchaseDate: Timestamp?
    /// 19.
    public internal(set) var originalApplicationVersion: String?
    /// 21: expiry of an app assigned by an organisation.
    public internal(set) var expirationDate: Timestamp?
    /// Attributes not listed here, in input order.
    public internal(set) var otherAttributes: [ReceiptAttribute] = []

    /// Environment of the purchases; nil without a known receipt type.
    public var environment: Environment? { receiptType?.value?.environment }

    /// Every chain named, without duplicates, in order of first mention. A purchase without an
    /// original transaction is its own; Xcode's purchases name neither.
    public var originalTransactionIds: [OriginalTransactionId] {
        var seen: Set<OriginalTransactionId> = []
        return inAppPurchases.compactMap { purchase in
            let id = purchase.originalTransactionId ?? purchase.transactionId?.asOriginal
            guard let id, seen.insert(id).inserted else { return nil }
            return id
        }
    }
}
