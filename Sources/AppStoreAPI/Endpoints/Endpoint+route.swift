extension Endpoint {
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    var method: Method { route.method }

    /// Requests per second that Apple accepts for one app in Production; Sandbox accepts a tenth
    /// (App Store Server API and Retention Messaging API, Identifying rate limits).
    public var requestsPerSecond: Int { route.rate }

    /// The path with `ids` in place of the names: percent-encoded, starting at the host's root.
    /// Throws `invalidRequest` for an id that cannot be one.
    func path(_ ids: [String]) throws(APIFailure) -> String {
        var path = "/inApps"
        var rest = ids[...]
        for part in route.path.split(separator: "/") {
            guard part.hasPrefix("{"), let id = rest.popFirst() else {
                path += "/\(part)"
                continue
            }
            path += "/" + (try APIRequest.segment(id, String(part.dropFirst().dropLast()), self))
        }
        return path
    }

    /// Throws `invalidRequest` unless the condition holds.
    func require(
        _ isMet: Bool, _ reason: @autoclosure () -> String
    ) throws(APIFailure) {
        guard isMet else { throw .invalid(self, reason()) }
    }

    /// Paths are below `/inApps`; `{name}` stands for an id, `{uuid}` for a UUID in lower case.
    private var route: (method: Method, path: String, rate: Int) {
        switch self {
        case .allSubscriptionStatuses: (.get, "v1/subscriptions/{id}", 50)
        case .transactionHistory: (.get, "v2/history/{id}", 50)
        case .transactionInfo: (.get, "v1/transactions/{id}", 50)
        case .appTransactionInfo: (.get, "v1/transactions/appTransactions/{id}", 50)
        case .orderLookup: (.get, "v1/lookup/{id}", 10)
        case .refundHistory: (.get, "v2/refund/lookup/{id}", 10)
        case .extendRenewalDate: (.put, "v1/subscriptions/extend/{originalTransactionId}", 20)
        case .massExtendRenewalDate: (.post, "v1/subscriptions/extend/mass", 1)
        case .massExtendRenewalDateStatus:
            (.get, "v1/subscriptions/extend/mass/{productId}/{id}", 1)
        case .notificationHistory: (.post, "v1/notifications/history", 50)
        case .requestTestNotification: (.post, "v1/notifications/test", 1)
        case .testNotificationStatus: (.get, "v1/notifications/test/{id}", 1)
        case .sendConsumptionInformation: (.put, "v2/transactions/consumption/{transactionId}", 50)
        case .setAppAccountToken:
            (.put, "v1/transactions/{originalTransactionId}/appAccountToken", 20)
        case .finishTransaction: (.post, "v1/transactions/{transactionId}/finish", 50)
        case .uploadImage: (.put, "v1/messaging/image/{uuid}", 1)
        case .deleteImage: (.delete, "v1/messaging/image/{uuid}", 1)
        case .imageList: (.get, "v1/messaging/image/list", 1)
        case .uploadMessage: (.put, "v1/messaging/message/{uuid}", 1)
        case .deleteMessage: (.delete, "v1/messaging/message/{uuid}", 1)
        case .messageList: (.get, "v1/messaging/message/list", 1)
        case .configureDefaultMessage: (.put, "v1/messaging/default/{productId}/{locale}", 10)
        case .deleteDefaultMessage: (.delete, "v1/messaging/default/{productId}/{locale}", 1)
        case .defaultMessage: (.get, "v1/messaging/default/{productId}/{locale}", 1)
        case .configureRealtimeURL: (.put, "v1/messaging/realtime/url", 1)
        case .deleteRealtimeURL: (.delete, "v1/messaging/realtime/url", 1)
        case .realtimeURL: (.get, "v1/messaging/realtime/url", 1)
        case .initiatePerformanceTest: (.post, "v1/messaging/performanceTest", 1)
        case .performanceTestResult: (.get, "v1/messaging/performanceTest/result/{requestId}", 1)
        // Not of this API. Apple documents no rate: the rate of its slower endpoints.
        case .verifyReceipt: (.post, "", 10)
        }
    }
}
