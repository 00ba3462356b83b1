/// Apple's endpoints and the properties of their requests: those of the App Store Server API that
/// are not deprecated, and verifyReceipt for apps that still need it.
public enum Endpoint: String, Sendable, Hashable, CaseIterable {
    case allSubscriptionStatuses
    case transactionHistory
    case transactionInfo
    case appTransactionInfo
    case orderLookup
    case refundHistory
    case extendRenewalDate
    case massExtendRenewalDate
    case massExtendRenewalDateStatus
    case notificationHistory
    case requestTestNotification
    case testNotificationStatus
    case sendConsumptionInformation
    case setAppAccountToken
    case finishTransaction
    case uploadImage
    case deleteImage
    case imageList
    case uploadMessage
    case deleteMessage
    case messageList
    case configureDefaultMessage
    case deleteDefaultMessage
    case defaultMessage
    case configureRealtimeURL
    case deleteRealtimeURL
    case realtimeURL
    case initiatePerformanceTest
    case performanceTestResult
    /// Used by `VerifyReceiptClient`: on other hosts, with the app's shared secret.
    case verifyReceipt

    /// Stable; scripts rely on it.
    public var name: String { rawValue }

    /// Whether sending it twice has the same effect as sending it once; otherwise it is not retried
    /// while it is unknown whether it arrived.
    public var isRepeatable: Bool {
        switch self {
        // A second upload or deletion is refused, as if the first had failed.
        case .extendRenewalDate, .massExtendRenewalDate, .requestTestNotification, .uploadImage,
            .deleteImage, .uploadMessage, .deleteMessage, .deleteDefaultMessage,
            .deleteRealtimeURL, .initiatePerformanceTest:
            false
        default: true
        }
    }

    /// Whether a request is about an id of one environment, which the other one may know.
    var isAboutOneId: Bool {
        switch self {
        case .allSubscriptionStatuses, .transactionHistory, .transactionInfo, .appTransactionInfo,
            .refundHistory, .extendRenewalDate, .sendConsumptionInformation, .setAppAccountToken,
            .finishTransaction:
            true
        // Orders exist in Production only, and verifyReceipt's statuses name the environment.
        default: false
        }
    }
}
