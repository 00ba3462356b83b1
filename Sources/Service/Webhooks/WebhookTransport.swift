/// One POST to an endpoint.
public struct WebhookRequest: Sendable {
    public let url: String
    public let headers: [(name: String, value: String)]
    public let body: [UInt8]
}

/// The outcome of a POST. Contains nothing of the response body.
public enum WebhookOutcome: Sendable, Equatable {
    /// An HTTP status; `retryAfter` in seconds, if present.
    case answered(status: Int, retryAfter: Int64? = nil)
    /// No connection, a broken one, or no trusted TLS.
    case unreachable
    case timedOut

    /// Any 2xx; redirects are not followed and count as failures.
    public var isSuccess: Bool {
        if case .answered(let status, _) = self { (200...299).contains(status) } else { false }
    }

    /// 410: the endpoint unsubscribes.
    public var isGone: Bool {
        if case .answered(410, _) = self { true } else { false }
    }

    /// A status or a code, stored and shown.
    public var text: String {
        switch self {
        case .answered(let status, _): String(status)
        case .unreachable: "unreachable"
        case .timedOut: "timedOut"
        }
    }

    var retryAfterMilliseconds: Int64? {
        guard case .answered(let status, let seconds?) = self, status == 429 || status == 503,
            seconds > 0
        else { return nil }
        return min(seconds, WebhookLimits.longestDelayMilliseconds / 1_000) * 1_000
    }
}

/// Sends requests. Follows no redirect, and enforces `WebhookLimits`.
public protocol WebhookTransport: Sendable {
    func post(_ request: WebhookRequest) async -> WebhookOutcome
}
