/// `status` of a verifyReceipt answer
/// (https://developer.apple.com/documentation/appstorereceipts/status).
public enum VerifyReceiptStatus: Int64, Sendable, CaseIterable {
    /// The receipt is valid; the subscription may have expired all the same.
    case valid = 0
    case notPosted = 21000
    /// No longer sent.
    case unused = 21001
    /// The receipt data are malformed, or something is wrong for the moment.
    case malformedOrTemporary = 21002
    case notAuthenticated = 21003
    case wrongSharedSecret = 21004
    case unavailable = 21005
    /// Of old transaction receipts only: valid, but the subscription has expired.
    case validButExpired = 21006
    case isSandboxReceipt = 21007
    case isProductionReceipt = 21008
    case internalDataAccess = 21009
    case accountNotFound = 21010

    /// Statuses of internal data access beside 21009; `is-retryable` says whether to ask again.
    public static let dataAccess: ClosedRange<Int64> = 21100...21199

    /// Whether the answer holds a receipt that Apple vouches for.
    public var isGenuine: Bool { self == .valid || self == .validButExpired }
}
