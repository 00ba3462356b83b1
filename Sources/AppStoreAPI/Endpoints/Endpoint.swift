import AppStore

/// What can be asked of Apple, with what holds for every request of a kind: the App Store Server API's
/// endpoints that are not deprecated, and verifyReceipt for those who still must.
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
    /// Asked by `VerifyReceiptClient`: of other hosts, with the app's shared secret.
    case verifyReceipt

    /// Stable; scripts rely on it.
    public var name: String { rawValue }

    /// Requests a second Apple takes of one app in Production; Sandbox takes a tenth
    /// (App Store Server API, Identifying rate limits).
    public var requestsPerSecond: Int {
        switch self {
        case .allSubscriptionStatuses, .transactionHistory, .transactionInfo, .appTransactionInfo,
            .notificationHistory, .sendConsumptionInformation, .finishTransaction:
            50
        case .extendRenewalDate, .setAppAccountToken: 20
        case .orderLookup, .refundHistory: 10
        // Apple documents no rate: as much as of its slower endpoints.
        case .verifyReceipt: 10
        case .massExtendRenewalDate, .massExtendRenewalDateStatus, .requestTestNotification,
            .testNotificationStatus:
            1
        }
    }

    /// Whether Apple does something because of it.
    public var isChange: Bool {
        switch self {
        case .extendRenewalDate, .massExtendRenewalDate, .requestTestNotification,
            .sendConsumptionInformation, .setAppAccountToken, .finishTransaction:
            true
        default: false
        }
    }

    /// Whether sending it twice could do more than sending it once: then it is not repeated while
    /// nobody knows whether the first one arrived.
    public var isRepeatable: Bool {
        switch self {
        case .extendRenewalDate, .massExtendRenewalDate, .requestTestNotification: false
        default: true
        }
    }

    /// Whether a request is about an id of one environment, so that the other one may know it.
    var isAboutOneId: Bool {
        switch self {
        case .allSubscriptionStatuses, .transactionHistory, .transactionInfo, .appTransactionInfo,
            .refundHistory, .extendRenewalDate, .sendConsumptionInformation, .setAppAccountToken,
            .finishTransaction:
            true
        // Orders exist in Production only.
        case .orderLookup, .massExtendRenewalDate, .massExtendRenewalDateStatus,
            .notificationHistory, .requestTestNotification, .testNotificationStatus:
            false
        // Its statuses say which of both to ask.
        case .verifyReceipt: false
        }
    }
}
