/// A signed app transaction, decoded (StoreKit `AppTransaction`; App Store Server API,
/// `JWSAppTransactionDecodedPayload`).
public struct AppTransactionPayload: WireObject {
    /// The environment.
    public var receiptType: Raw<Environment>?
    /// Absent or 0 in the sandbox.
    public var appAppleId: Int64?
    /// The app.
    public var bundleId: BundleId?
    /// Absent from the server API's form.
    public var applicationVersion: String?
    /// Absent from the server API's form.
    public var versionExternalIdentifier: Int64?
    /// Serves as signedDate.
    public var receiptCreationDate: Timestamp?
    /// When the app was first acquired.
    public var originalPurchaseDate: Timestamp?
    /// Version first acquired; `1.0` in the sandbox.
    public var originalApplicationVersion: String?
    /// When the app was ordered before its release.
    public var preorderDate: Timestamp?
    /// Base64.
    public var deviceVerification: String?
    /// UUID.
    public var deviceVerificationNonce: String?
    /// Customer and app. Since 2025-02.
    public var appTransactionId: AppTransactionId?
    /// Where the app was first acquired.
    public var originalPlatform: Raw<PurchasePlatform>?
    /// Since App Store Server API 1.22.
    public var storeType: Raw<StoreType>?
    /// Seen from Xcode only.
    public var requestDate: Timestamp?

    public var unknown: [JSONMember] = []

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("receiptType", &receiptType)
        visitor.visit("appAppleId", &appAppleId)
        visitor.visit("bundleId", &bundleId)
        visitor.visit("applicationVersion", &applicationVersion)
        visitor.visit("versionExternalIdentifier", &versionExternalIdentifier)
        visitor.visit("receiptCreationDate", &receiptCreationDate)
        visitor.visit("originalPurchaseDate", &originalPurchaseDate)
        visitor.visit("originalApplicationVersion", &originalApplicationVersion)
        visitor.visit("preorderDate", &preorderDate)
        visitor.visit("deviceVerification", &deviceVerification)
        visitor.visit("deviceVerificationNonce", &deviceVerificationNonce)
        visitor.visit("appTransactionId", &appTransactionId)
        visitor.visit("originalPlatform", &originalPlatform)
        visitor.visit("storeType", &storeType)
        visitor.visit("requestDate", &requestDate)
    }
}
