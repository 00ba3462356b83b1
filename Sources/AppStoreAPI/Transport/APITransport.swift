/// Sends one request and returns the response. Replaceable in tests.
public protocol APITransport: Sendable {
    /// Sends once: no retries, no redirects. Throws without a complete response.
    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse
}

/// A request as sent.
public struct TransportRequest: Sendable, Equatable {
    /// GET, POST, PUT or DELETE.
    public let method: String
    /// The complete address.
    public let url: String
    /// In order, including the token.
    public let headers: [Header]
    /// Nil without a body.
    public let body: [UInt8]?

    public init(method: String, url: String, headers: [Header], body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    public struct Header: Sendable, Equatable {
        public let name: String
        public let value: String

        /// A header with a lower-case name.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }
}

/// A complete response as received.
public struct TransportResponse: Sendable, Equatable {
    public var status: Int
    /// The unparsed header.
    public var retryAfter: String?
    /// The unparsed header: the responding clock.
    public var date: String?
    public var body: [UInt8]

    public init(
        status: Int, retryAfter: String? = nil, date: String? = nil, body: [UInt8] = []
    ) {
        self.status = status
        self.retryAfter = retryAfter
        self.date = date
        self.body = body
    }
}

/// Why there is no complete response.
public enum TransportFailure: Error, Sendable, Equatable {
    /// No connection was made: nothing was sent.
    case notConnected
    /// No connection, or no TLS handshake, in time: nothing was sent.
    case connectTimedOut
    /// No trusted TLS: nothing was sent. `reason` is a code of the TLS library, such as
    /// `CERTIFICATE_VERIFY_FAILED`; it names no host.
    case tlsFailed(reason: String)
    /// The connection broke after something may have been sent.
    case disconnected
    /// No complete response in time; something may have been sent.
    case timedOut
    /// More than `APILimits.answerByteCount`.
    case tooLarge
    /// The caller's task was cancelled; something may have been sent.
    case cancelled
}
