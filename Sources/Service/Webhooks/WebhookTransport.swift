/// One POST to an endpoint.
public struct WebhookRequest: Sendable {
    public let url: String
    public let headers: [(name: String, value: String)]
    public let body: [UInt8]
}

/// The outcome of a POST. Contains nothing of the response body.
public enum WebhookOutcome: Sendable, Equatable {
    /// An HTTP status.
    case answered(status: Int)
    /// No connection, a broken one, or no trusted TLS.
    case unreachable
    case timedOut

    /// Any 2xx; redirects are not followed and count as failures.
    public var isSuccess: Bool {
        if case .answered(let status) = self { (200...299).contains(status) } else { false }
    }

    /// 410: the endpoint unsubscribes.
    public var isGone: Bool { self == .answered(status: 410) }

    /// A status or a code, stored and shown.
    public var text: String {
        switch self {
        case .answered(let status): String(status)
        case .unreachable: "unreachable"
        case .timedOut: "timedOut"
        }
    }
}

/// Sends requests. Follows no redirect, and enforces `WebhookLimits`.
public protocol WebhookTransport: Sendable {
    func post(_ request: WebhookRequest) async -> WebhookOutcome
}
