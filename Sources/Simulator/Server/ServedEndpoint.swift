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

    /// Requests per second in Production (App Store Server API, Identifying rate limits).
    var requestsPerSecond: Int64 {
        switch self {
        case .allSubscriptionStatuses, .transactionHistory, .transactionInfo, .appTransactionInfo,
            .notificationHistory, .sendConsumptionInformation, .finishTransaction:
            50
        case .extendRenewalDate, .setAppAccountToken: 20
        case .orderLookup, .refundHistory: 10
        case .massExtendRenewalDate, .massExtendRenewalDateStatus, .requestTestNotification,
            .testNotificationStatus:
            1
        }
    }

    /// The endpoint of a method and a path's segments, with the ids among them; nil for none. Paths
    /// are case-sensitive.
    static func find(
        _ method: String, _ segments: [String]
    ) -> (endpoint: ServedEndpoint, ids: [String])? {
        guard segments.count >= 3, segments[0] == "inApps" else { return nil }
        let rest = Array(segments.dropFirst())
        switch (method, rest.count) {
        case ("GET", _): return reading(rest)
        case ("POST", 3) where rest == ["v1", "notifications", "history"]:
            return (.notificationHistory, [])
        case ("POST", 3) where rest == ["v1", "notifications", "test"]:
            return (.requestTestNotification, [])
        case ("POST", 4) where rest == ["v1", "subscriptions", "extend", "mass"]:
            return (.massExtendRenewalDate, [])
        case ("POST", 4) where rest[0...1] == ["v1", "transactions"] && rest[3] == "finish":
            return (.finishTransaction, [rest[2]])
        case ("PUT", 4) where rest[0...2] == ["v1", "subscriptions", "extend"]:
            return (.extendRenewalDate, [rest[3]])
        case ("PUT", 4) where rest[0...2] == ["v2", "transactions", "consumption"]:
            return (.sendConsumptionInformation, [rest[3]])
        case ("PUT", 4)
        where rest[0...1] == ["v1", "transactions"]
            && rest[3] == "appAccountToken":
            return (.setAppAccountToken, [rest[2]])
        default: return nil
        }
    }

    private static func reading(
        _ rest: [String]
    ) -> (endpoint: ServedEndpoint, ids: [String])? {
        switch rest.count {
        case 3 where rest[0...1] == ["v1", "subscriptions"]:
            return (.allSubscriptionStatuses, [rest[2]])
        case 3 where rest[0...1] == ["v2", "history"]: return (.transactionHistory, [rest[2]])
        case 3 where rest[0...1] == ["v1", "transactions"]: return (.transactionInfo, [rest[2]])
        case 3 where rest[0...1] == ["v1", "lookup"]: return (.orderLookup, [rest[2]])
        case 4 where rest[0...2] == ["v1", "transactions", "appTransactions"]:
            return (.appTransactionInfo, [rest[3]])
        case 4 where rest[0...2] == ["v2", "refund", "lookup"]: return (.refundHistory, [rest[3]])
        case 4 where rest[0...2] == ["v1", "notifications", "test"]:
            return (.testNotificationStatus, [rest[3]])
        case 6 where rest[0...3] == ["v1", "subscriptions", "extend", "mass"]:
            return (.massExtendRenewalDateStatus, [rest[4], rest[5]])
        default: return nil
        }
    }
}
