import AppStore
import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Posts webhooks over HTTP/1.1: a connection pool, TLS verified against the system's roots, no
/// redirects, no proxies, every wait and every response bounded.
public final class WebhookClient: WebhookTransport {
    private let client: HTTPClient
    private let timeout: TimeAmount

    public init(timeoutMilliseconds: Int64 = WebhookLimits.timeoutMilliseconds) {
        timeout = .milliseconds(timeoutMilliseconds)
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.timeout = .init(
            connect: .milliseconds(WebhookLimits.connectTimeoutMilliseconds),
            read: timeout)
        configuration.connectionPool.idleTimeout = .seconds(30)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
            WebhookLimits.concurrency
        configuration.decompression = .disabled
        configuration.httpVersion = .http1Only
        // A failed connection is a failed attempt; the delivery schedule retries.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    public func post(_ request: WebhookRequest) async -> WebhookOutcome {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = .POST
        for (name, value) in request.headers { outgoing.headers.add(name: name, value: value) }
        if let trace = TraceContext.current {
            outgoing.headers.add(name: TraceContext.headerName, value: trace.header)
        }
        outgoing.body = .bytes(request.body)
        do {
            let response = try await client.execute(outgoing, timeout: timeout)
            // The body is read and ignored so that the connection can be reused. A connection with
            // an oversized body is dropped.
            _ = try? await response.body.collect(upTo: WebhookLimits.answerByteCount)
            return .answered(status: Int(response.status.code))
        } catch let error as HTTPClientError where WebhookClient.timeouts.contains(error) {
            return .timedOut
        } catch {
            return .unreachable
        }
    }

    private static let timeouts: [HTTPClientError] = [
        .deadlineExceeded, .readTimeout, .connectTimeout, .writeTimeout,
        .getConnectionFromPoolTimeout,
    ]

    /// Closes every connection. The client cannot be used afterwards.
    public func close() async { try? await client.shutdown() }
}
