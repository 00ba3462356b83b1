import AppStore
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Sends requests over HTTP/1.1 with a connection pool: TLS 1.2 or later verified against the
/// system's roots, no redirects, no proxies, bounded waits and responses.
///
/// It must be closed (`close()`) before it is released: otherwise AsyncHTTPClient ends a debug
/// build with a fatal error, and a release build leaks the connections.
public final class HTTPTransport: APITransport {
    private let client: HTTPClient
    private let timeout: TimeAmount
    private let discardedByteCount: Int?

    /// - `timeoutMilliseconds`: limits one attempt, from connecting to the last byte.
    /// - `discardedByteCount`: discards the bodies of responses; the connection of one that is
    ///   longer, or does not end in time, is closed, others are used again. Nil returns bodies.
    /// - `connectionCount`: most connections to one host.
    public init(
        timeoutMilliseconds: Int64 = APILimits.timeoutMilliseconds,
        discardingBodiesOver discardedByteCount: Int? = nil,
        connectionCount: Int = APILimits.concurrency
    ) {
        timeout = .milliseconds(timeoutMilliseconds)
        self.discardedByteCount = discardedByteCount
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.redirectConfiguration = .disallow
        configuration.timeout = .init(
            connect: .milliseconds(APILimits.connectTimeoutMilliseconds), read: timeout)
        configuration.connectionPool.idleTimeout = .seconds(30)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionCount
        configuration.decompression = .disabled
        configuration.httpVersion = .http1Only
        // A failed connection is a failed attempt: the caller decides about retries.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    public func send(
        _ request: TransportRequest
    ) async throws(TransportFailure) -> TransportResponse {
        guard URLComponents(string: request.url)?.hasUsablePort ?? true else {
            throw .notConnected
        }
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPMethod(rawValue: request.method)
        for header in request.headers {
            outgoing.headers.add(name: header.name, value: header.value)
        }
        if let trace = TraceContext.current {
            outgoing.headers.add(name: TraceContext.headerName, value: trace.header)
        }
        if let body = request.body { outgoing.body = .bytes(body) }
        let deadline = ContinuousClock.now + .nanoseconds(timeout.nanoseconds)
        do {
            let response = try await client.execute(outgoing, timeout: timeout)
            var answer = TransportResponse(
                status: Int(response.status.code),
                retryAfter: response.headers.first(name: "retry-after"),
                date: response.headers.first(name: "date"))
            let limit = discardedByteCount ?? APILimits.answerByteCount
            do {
                // A peer may send a byte now and then for ever.
                let body = try await Deadline.run(until: deadline) {
                    try await response.body.collect(upTo: limit)
                }
                if discardedByteCount == nil { answer.body = Array(body.readableBytesView) }
            } catch { guard discardedByteCount != nil else { throw error } }
            return answer
        } catch {
            throw HTTPTransport.failure(error)
        }
    }

    static func failure(_ error: any Error) -> TransportFailure {
        switch error {
        case is NIOTooManyBytesError: .tooLarge
        case is Deadline.Passed: .timedOut
        case is CancellationError: .cancelled
        // The connection ended within the response.
        case let error as NIOSSLError where error == .uncleanShutdown: .disconnected
        // TLS handshakes, name resolution and refused connections fail before anything is sent.
        case is NIOSSLError, is NIOSSLExtraError: .tlsFailed(reason: reason(error))
        case is NIOConnectionError: .notConnected
        // A refused connection to an IP address.
        case let error as IOError where error.errnoCode == ECONNREFUSED: .notConnected
        case let error as HTTPClientError where error == .cancelled: .cancelled
        case let error as HTTPClientError where notConnected.contains(error): .notConnected
        case let error as HTTPClientError where connectTimeouts.contains(error): .connectTimedOut
        case let error as HTTPClientError where timeouts.contains(error): .timedOut
        default: .disconnected
        }
    }

    private static let timeouts: [HTTPClientError] = [
        .deadlineExceeded, .readTimeout, .writeTimeout,
    ]

    private static let connectTimeouts: [HTTPClientError] = [
        .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout,
    ]

    private static let notConnected: [HTTPClientError] = [
        .invalidURL, .emptyHost, .emptyScheme, .alreadyShutdown,
    ]

    /// The code in the text of a TLS error, without the host and the library's source files:
    /// `…:OPENSSL_internal:CODE at FILE:LINE`, or `NIOSSLExtraError.CODE: TEXT`.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case NIOSSLError.handshakeFailed(.sslError(let stack)):
            let text = stack.first.map { "\($0)" }?.components(separatedBy: " at ").first
            let code = text?.components(separatedBy: ":").last ?? ""
            return code.trimmingCharacters(in: .whitespaces)
        case let error as NIOSSLExtraError:
            let code = "\(error)".components(separatedBy: ":")[0]
            return code.components(separatedBy: ".").last ?? ""
        default: return "\(error)".components(separatedBy: "(")[0]
        }
    }

    /// Closes every connection; later requests fail with `notConnected`.
    public func close() async { try? await client.shutdown() }
}

extension URLComponents {
    /// Whether it has no port, or one of 1 to 65535: the client traps on another one of an IP
    /// address.
    package var hasUsablePort: Bool {
        rangeOfPort == nil || port.map { (1...65_535).contains($0) } ?? false
    }
}
