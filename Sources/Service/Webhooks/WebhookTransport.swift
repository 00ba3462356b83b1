/// One POST to an endpoint.
public struct WebhookRequest: Sendable {
    public let url: String
    public let headers: [(name: String, value: String)]
    public let body: [UInt8]
}

/// What came of a POST. Never anything of the answer's body.
public enum WebhookOutcome: Sendable, Equatable {
    /// An HTTP status; `retryAfter` in seconds, if the answer says so.
    case answered(status: Int, retryAfter: Int64? = nil)
    /// No connection, a broken one, or no TLS that can be trusted.
    case unreachable
    case timedOut

    /// Any 2xx; a redirect is none, since it is not followed.
    public var isSuccess: Bool {
        if case .answered(let status, _) = self { (200...299).contains(status) } else { false }
    }

    /// 410: the endpoint wants nothing more.
    public var isGone: Bool {
        if case .answered(410, _) = self { true } else { false }
    }

    /// For people, and kept: a status or a code.
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

/// Sends. Follows no redirect, and keeps the bounds of `WebhookLimits`.
public protocol WebhookTransport: Sendable {
    func post(_ request: WebhookRequest) async -> WebhookOutcome
}
