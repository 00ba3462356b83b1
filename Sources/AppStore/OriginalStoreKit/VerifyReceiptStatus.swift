/// `status` of a verifyReceipt response
/// (https://developer.apple.com/documentation/appstorereceipts/status).
public enum VerifyReceiptStatus: Int64, Sendable, CaseIterable {
    /// The receipt is valid; the subscription may have expired.
    case valid = 0
    case notPosted = 21000
    /// No longer sent.
    case unused = 21001
    /// The receipt data is malformed, or a temporary failure.
    case malformedOrTemporary = 21002
    case notAuthenticated = 21003
    case wrongSharedSecret = 21004
    case unavailable = 21005
    /// Old transaction receipts only: valid, but the subscription has expired.
    case validButExpired = 21006
    case isSandboxReceipt = 21007
    case isProductionReceipt = 21008
    case internalDataAccess = 21009
    case accountNotFound = 21010

    /// Statuses of internal data access besides 21009; `is-retryable` states whether to retry.
    public static let dataAccess: ClosedRange<Int64> = 21100...21199

    /// Whether the response contains a receipt that Apple confirms.
    public var isGenuine: Bool { self == .valid || self == .validButExpired }
}
