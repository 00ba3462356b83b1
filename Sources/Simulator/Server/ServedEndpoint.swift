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

    /// Method and path below `inApps` of each endpoint, where `*` is an id, and its requests per
    /// second in Production (App Store Server API and Retention Messaging API, Identifying rate
    /// limits).
    private static let routes: [Route] = [
        ("GET", "v1/subscriptions/*", .allSubscriptionStatuses, 50),
        ("GET", "v2/history/*", .transactionHistory, 50),
        ("GET", "v1/transactions/*", .transactionInfo, 50),
        ("GET", "v1/transactions/appTransactions/*", .appTransactionInfo, 50),
        ("GET", "v1/lookup/*", .orderLookup, 10),
        ("GET", "v2/refund/lookup/*", .refundHistory, 10),
        ("GET", "v1/notifications/test/*", .testNotificationStatus, 1),
        ("GET", "v1/subscriptions/extend/mass/*/*", .massExtendRenewalDateStatus, 1),
        ("POST", "v1/notifications/history", .notificationHistory, 50),
        ("POST", "v1/notifications/test", .requestTestNotification, 1),
        ("POST", "v1/subscriptions/extend/mass", .massExtendRenewalDate, 1),
        ("POST", "v1/transactions/*/finish", .finishTransaction, 50),
        ("PUT", "v1/subscriptions/extend/*", .extendRenewalDate, 20),
        ("PUT", "v2/transactions/consumption/*", .sendConsumptionInformation, 50),
        ("PUT", "v1/transactions/*/appAccountToken", .setAppAccountToken, 20),
        ("GET", "v1/messaging/image/list", .imageList, 1),
        ("PUT", "v1/messaging/image/*", .uploadImage, 1),
        ("DELETE", "v1/messaging/image/*", .deleteImage, 1),
        ("GET", "v1/messaging/message/list", .messageList, 1),
        ("PUT", "v1/messaging/message/*", .uploadMessage, 1),
        ("DELETE", "v1/messaging/message/*", .deleteMessage, 1),
        ("GET", "v1/messaging/default/*/*", .defaultMessage, 1),
        ("PUT", "v1/messaging/default/*/*", .configureDefaultMessage, 10),
        ("DELETE", "v1/messaging/default/*/*", .deleteDefaultMessage, 1),
        ("GET", "v1/messaging/realtime/url", .realtimeURL, 1),
        ("PUT", "v1/messaging/realtime/url", .configureRealtimeURL, 1),
        ("DELETE", "v1/messaging/realtime/url", .deleteRealtimeURL, 1),
        ("POST", "v1/messaging/performanceTest", .initiatePerformanceTest, 1),
        ("GET", "v1/messaging/performanceTest/result/*", .performanceTestResult, 1),
    ]

    private typealias Route = (method: String, path: String, endpoint: ServedEndpoint, rate: Int64)

    var requestsPerSecond: Int64 { ServedEndpoint.routes.first { $0.endpoint == self }?.rate ?? 1 }

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
