/// Carries one request to Apple and one answer back. Tests give one that needs no network.
public protocol APITransport: Sendable {
    /// Sends once: no retries, no redirects. Throws when no whole answer came.
    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportAnswer
}

/// A request as it goes over the wire.
public struct TransportRequest: Sendable, Equatable {
    /// GET, POST or PUT.
    public let method: String
    /// The whole address.
    public let url: String
    /// In this order; the token is among them.
    public let headers: [Header]
    /// Nil where there is none.
    public let body: [UInt8]?

    /// A request of these parts.
    public init(method: String, url: String, headers: [Header], body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// One header.
    public struct Header: Sendable, Equatable {
        public let name: String
        public let value: String

        /// A header of that name, in lower case.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }
}

/// An answer as it came over the wire, whole.
public struct TransportAnswer: Sendable, Equatable {
    /// The HTTP status.
    public var status: Int
    /// The header of that name, unread.
    public var retryAfter: String?
    /// The header of that name, unread: the answering clock.
    public var date: String?
    public var body: [UInt8]

    /// An answer of these parts.
    public init(
        status: Int, retryAfter: String? = nil, date: String? = nil, body: [UInt8] = []
    ) {
        self.status = status
        self.retryAfter = retryAfter
        self.date = date
        self.body = body
    }
}

/// Why there is no whole answer.
public enum TransportFailure: Error, Sendable, Equatable, CaseIterable {
    /// No connection was made: nothing was sent.
    case notConnected
    /// The connection broke after something may have been sent.
    case disconnected
    /// No whole answer in time; something may have been sent.
    case timedOut
    /// More than `APILimits.answerByteCount`.
    case tooLarge
    /// The asker's task was cancelled.
    case cancelled
}
