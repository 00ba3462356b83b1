public import AppStoreAPI

/// The outcome of a POST. Contains nothing of the response body.
public enum WebhookOutcome: Sendable, Equatable {
    /// An HTTP status.
    case answered(status: Int)
    /// No connection, or a broken one.
    case unreachable
    /// No connection, no TLS handshake or no response in time.
    case timedOut
    /// No trusted TLS, with the reason of `TransportFailure.tlsFailed`.
    case tlsFailed(reason: String)

    /// Any 2xx; redirects are not followed and count as failures.
    public var isSuccess: Bool {
        if case .answered(let status) = self { (200...299).contains(status) } else { false }
    }

    /// 410: the endpoint unsubscribes.
    public var isGone: Bool { self == .answered(status: 410) }

    /// The longest delay before the next attempt. After no response, or 502 to 504 from a proxy, it
    /// is that of a probe: the receiver was unavailable, which says nothing about the change.
    var longestDelayMilliseconds: Int64 {
        guard case .answered(let status) = self, !(502...504).contains(status) else {
            return WebhookLimits.longestProbeMilliseconds
        }
        return WebhookLimits.longestDelayMilliseconds
    }

    /// A status or a code, stored and shown.
    public var text: String {
        switch self {
        case .answered(let status): String(status)
        case .unreachable: "unreachable"
        case .timedOut: "timedOut"
        case .tlsFailed: "tlsFailed"
        }
    }

    /// The same with the reason, for logs and people.
    public var reasonedText: String {
        if case .tlsFailed(let reason) = self { "\(text): \(reason)" } else { text }
    }
}

extension WebhookOutcome {
    /// The outcome of sending a request; once more where the connection broke at once: a receiver
    /// may close an idle one at any time (RFC 9112 §9.5), and knows a message by its id.
    init(
        of request: TransportRequest, over transport: any APITransport,
        brokenAtOnce: Duration = WebhookLimits.brokenAtOnce
    ) async {
        let start = ContinuousClock.now
        do throws(TransportFailure) {
            self = .answered(status: try await transport.send(request).status)
        } catch {
            switch error {
            case .disconnected where .now - start < brokenAtOnce:
                self = await WebhookOutcome(of: request, over: transport, brokenAtOnce: .zero)
            default: self.init(error)
            }
        }
    }

    /// The outcome of sending a request without a response.
    init(_ failure: TransportFailure) {
        switch failure {
        case .timedOut, .connectTimedOut: self = .timedOut
        case .tlsFailed(let reason): self = .tlsFailed(reason: reason)
        case .notConnected, .disconnected, .tooLarge, .cancelled: self = .unreachable
        }
    }
}

extension HTTPTransport {
    /// Connections to the receivers of webhooks, within `WebhookLimits`.
    public static func toReceivers(
        timeoutMilliseconds: Int64 = WebhookLimits.timeoutMilliseconds
    ) -> HTTPTransport {
        HTTPTransport(
            timeoutMilliseconds: timeoutMilliseconds,
            discardingBodiesOver: WebhookLimits.answerByteCount,
            // Endpoints on one host do not wait for each other.
            connectionCount: WebhookLimits.concurrency * WebhookLimits.endpointCount)
    }
}
