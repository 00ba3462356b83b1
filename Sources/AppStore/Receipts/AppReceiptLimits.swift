/// Limits on one receipt, far above genuine ones and low enough to be harmless.
public enum AppReceiptLimits {
    /// Size of a submitted receipt, binary or base64: 4 MiB (`Log.md` §6).
    public static let byteCount = 4 << 20
    /// In-app purchases of one receipt: as many as fit into 4 MiB at their usual 400 bytes.
    public static let inAppPurchaseCount = 10_000
    /// Attributes of the receipt itself, excluding purchases, and of one purchase; genuine ones
    /// have about twenty.
    public static let attributeCount = 256
}
