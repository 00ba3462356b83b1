/// How much one receipt may hold. Far above anything genuine, far below what would hurt.
public enum AppReceiptLimits {
    /// Of a receipt as it is handed in, binary or base64: 4 MiB (`design.md` §6).
    public static let byteCount = 4 << 20
    /// In-app purchases of one receipt: as many as fit 4 MiB at their usual 400 bytes.
    public static let inAppPurchaseCount = 10_000
    /// Attributes of the receipt itself, purchases not counted, and of one purchase; genuine ones
    /// have about twenty.
    public static let attributeCount = 256
}
