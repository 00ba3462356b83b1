/// The payload of an app receipt: what a device's `appStoreReceiptURL` says, without its signature
/// (App Store Receipts; `appstore.md` §6). Every field is nil when its attribute is missing or
/// empty.
public struct AppReceipt: Hashable, Sendable {
    /// 0.
    public internal(set) var receiptType: Raw<ReceiptType>?
    /// 1: the app's id in the App Store. 0, as in Sandbox, means none.
    public internal(set) var appAppleId: Int64?
    /// 2.
    public internal(set) var bundleId: BundleId?
    /// 2, the DER value as it came: these bytes enter the device's hash.
    public internal(set) var bundleIdValue: [UInt8] = []
    /// 3.
    public internal(set) var applicationVersion: String?
    /// 4: the part of the device's hash nobody can guess.
    public internal(set) var opaqueValue: [UInt8] = []
    /// 5: SHA-1 over the device's identifier, `opaqueValue` and `bundleIdValue`.
    public internal(set) var deviceHash: [UInt8] = []
    /// 12: when the App Store made the receipt. Its certificates are judged by this date.
    public internal(set) var creationDate: Timestamp?
    /// 15. 0 means none.
    public internal(set) var downloadId: Int64?
    /// 16. 0 means none.
    public internal(set) var versionExternalIdentifier: Int64?
    /// 17, in the order they came, which is no order of time.
    public internal(set) var inAppPurchases: [InAppPurchaseReceipt] = []
    /// 18: when the app itself was bought.
    public internal(set) var originalPurchaseDate: Timestamp?
    /// 19.
    public internal(set) var originalApplicationVersion: String?
    /// 21: end of an app that an organisation lent.
    public internal(set) var expirationDate: Timestamp?
    /// What is not in this list, in the order it came.
    public internal(set) var otherAttributes: [ReceiptAttribute] = []

    init() {}

    /// Where the purchases were made; nil when the receipt says nothing known.
    public var environment: Environment? { receiptType?.value?.environment }

    /// Every chain it speaks of, once, in the order of first mention. A purchase that names no
    /// original transaction is its own; those of Xcode name neither.
    public var originalTransactionIds: [OriginalTransactionId] {
        var seen: Set<OriginalTransactionId> = []
        return inAppPurchases.compactMap { purchase in
            let id = purchase.originalTransactionId ?? purchase.transactionId?.own
            guard let id, seen.insert(id).inserted else { return nil }
            return id
        }
    }
}
