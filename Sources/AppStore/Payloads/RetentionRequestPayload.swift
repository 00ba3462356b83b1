/// What Apple signs when a customer is about to cancel (Retention Messaging API,
/// `DecodedRealtimeRequestBody`). It names no bundle id.
public struct RetentionRequestPayload: WireObject {
    /// The subscription.
    public var originalTransactionId: OriginalTransactionId?
    /// Apple's number of the app.
    public var appAppleId: Int64?
    /// The product the customer sees.
    public var productId: ProductId?
    /// The locale of the device, e.g. `en-US`.
    public var userLocale: String?
    /// A UUID of Apple's, one for each request.
    public var requestIdentifier: String?
    /// Where the purchase was made.
    public var environment: Raw<Environment>?
    /// When Apple signed it.
    public var signedDate: Timestamp?

    public var unknown: [JSONMember] = []

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("originalTransactionId", &originalTransactionId)
        visitor.visit("appAppleId", &appAppleId)
        visitor.visit("productId", &productId)
        visitor.visit("userLocale", &userLocale)
        visitor.visit("requestIdentifier", &requestIdentifier)
        visitor.visit("environment", &environment)
        visitor.visit("signedDate", &signedDate)
    }
}
