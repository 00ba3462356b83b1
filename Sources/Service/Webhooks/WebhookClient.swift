import AppStoreAPI

/// Posts webhooks over the transport of the App Store Server API, with limits of its own.
public struct WebhookClient: WebhookTransport {
    private let transport: HTTPTransport

    public init(timeoutMilliseconds: Int64 = WebhookLimits.timeoutMilliseconds) {
        transport = HTTPTransport(
            timeoutMilliseconds: timeoutMilliseconds,
            discardingBodiesOver: WebhookLimits.answerByteCount)
    }

    public func post(_ request: WebhookRequest) async -> WebhookOutcome {
        let outgoing = TransportRequest(
            method: "POST", url: request.url,
            headers: request.headers.map { .init($0.name, $0.value) }, body: request.body)
        do throws(TransportFailure) {
            return .answered(status: try await transport.send(outgoing).status)
        } catch {
            return error == .timedOut ? .timedOut : .unreachable
        }
    }

    /// Closes every connection. The client cannot be used afterwards.
    public func close() async { await transport.close() }
}
