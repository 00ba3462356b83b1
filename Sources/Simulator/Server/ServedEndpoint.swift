/// The endpoints of the simulated API: Apple's that are not deprecated. Separate from the client's
/// type, since the simulator must not depend on the code it tests.
public enum ServedEndpoint: String, Sendable, Hashable, CaseIterable {
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

    /// Requests per second in Production (App Store Server API and Retention Messaging API,
    /// Identifying rate limits).
    var requestsPerSecond: Int64 {
        switch self {
        case .allSubscriptionStatuses, .transactionHistory, .transactionInfo, .appTransactionInfo,
            .notificationHistory, .sendConsumptionInformation, .finishTransaction:
            50
        case .extendRenewalDate, .setAppAccountToken: 20
        case .orderLookup, .refundHistory, .configureDefaultMessage: 10
        case .massExtendRenewalDate, .massExtendRenewalDateStatus, .requestTestNotification,
            .testNotificationStatus, .uploadImage, .deleteImage, .imageList, .uploadMessage,
            .deleteMessage, .messageList, .deleteDefaultMessage, .defaultMessage,
            .configureRealtimeURL, .deleteRealtimeURL, .realtimeURL, .initiatePerformanceTest,
            .performanceTestResult:
            1
        }
    }

    /// Method and path below `inApps` of each endpoint; `*` is an id.
    private static let routes: [(method: String, path: String, endpoint: ServedEndpoint)] = [
        ("GET", "v1/subscriptions/*", .allSubscriptionStatuses),
        ("GET", "v2/history/*", .transactionHistory),
        ("GET", "v1/transactions/*", .transactionInfo),
        ("GET", "v1/transactions/appTransactions/*", .appTransactionInfo),
        ("GET", "v1/lookup/*", .orderLookup), ("GET", "v2/refund/lookup/*", .refundHistory),
        ("GET", "v1/notifications/test/*", .testNotificationStatus),
        ("GET", "v1/subscriptions/extend/mass/*/*", .massExtendRenewalDateStatus),
        ("POST", "v1/notifications/history", .notificationHistory),
        ("POST", "v1/notifications/test", .requestTestNotification),
        ("POST", "v1/subscriptions/extend/mass", .massExtendRenewalDate),
        ("POST", "v1/transactions/*/finish", .finishTransaction),
        ("PUT", "v1/subscriptions/extend/*", .extendRenewalDate),
        ("PUT", "v2/transactions/consumption/*", .sendConsumptionInformation),
        ("PUT", "v1/transactions/*/appAccountToken", .setAppAccountToken),
        ("GET", "v1/messaging/image/list", .imageList),
        ("PUT", "v1/messaging/image/*", .uploadImage),
        ("DELETE", "v1/messaging/image/*", .deleteImage),
        ("GET", "v1/messaging/message/list", .messageList),
        ("PUT", "v1/messaging/message/*", .uploadMessage),
        ("DELETE", "v1/messaging/message/*", .deleteMessage),
        ("GET", "v1/messaging/default/*/*", .defaultMessage),
        ("PUT", "v1/messaging/default/*/*", .configureDefaultMessage),
        ("DELETE", "v1/messaging/default/*/*", .deleteDefaultMessage),
        ("GET", "v1/messaging/realtime/url", .realtimeURL),
        ("PUT", "v1/messaging/realtime/url", .configureRealtimeURL),
        ("DELETE", "v1/messaging/realtime/url", .deleteRealtimeURL),
        ("POST", "v1/messaging/performanceTest", .initiatePerformanceTest),
        ("GET", "v1/messaging/performanceTest/result/*", .performanceTestResult),
    ]

    /// The endpoint of a method and a path's segments, with the ids among them; nil for none. Paths
    /// are case-sensitive.
    static func find(
        _ method: String, _ segments: [String]
    ) -> (endpoint: ServedEndpoint, ids: [String])? {
        guard segments.first == "inApps" else { return nil }
        for route in routes where route.method == method {
            let parts = route.path.split(separator: "/").map(String.init)
            let pairs = Array(zip(parts, segments.dropFirst()))
            guard parts.count == segments.count - 1,
                pairs.allSatisfy({ $0 == $1 || $0 == "*" })
            else { continue }
            return (route.endpoint, pairs.filter { $0.0 == "*" }.map(\.1))
        }
        return nil
    }
}
