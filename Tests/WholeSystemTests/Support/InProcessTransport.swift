import AppStore
import AppStoreAPI
import Foundation
import Simulator

/// Forwards requests to the simulated API without a network, and injects the faults of its replies.
struct InProcessTransport: APITransport {
    let api: SimulatedAPI
    let time: VirtualTime
    let steps: Steps

    /// Duration of an exchange that is neither slow nor broken.
    static let usualMilliseconds: Int64 = 40

    func send(
        _ request: TransportRequest
    ) async throws(TransportFailure) -> TransportResponse {
        steps.pass("asking")
        guard !steps.isDead else { throw .cancelled }
        time.advance(milliseconds: InProcessTransport.usualMilliseconds)
        let reply = api.answer(InProcessTransport.served(request))
        guard reply.delayMilliseconds < APILimits.timeoutMilliseconds else {
            time.advance(milliseconds: APILimits.timeoutMilliseconds)
            throw .timedOut
        }
        time.advance(milliseconds: reply.delayMilliseconds)
        guard reply.manner == .whole else { throw .disconnected }
        guard reply.body.count <= APILimits.answerByteCount else { throw .tooLarge }
        steps.pass("answered")
        func header(_ name: String) -> String? { reply.headers.first { $0.name == name }?.value }
        return TransportResponse(
            status: reply.status, retryAfter: header("retry-after"), date: header("date"),
            body: reply.body)
    }

    private static func served(_ request: TransportRequest) -> ServedRequest {
        let parts = request.url.split(
            separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        let target = parts.count > 3 ? "/" + parts[3] : "/"
        let halves = target.split(separator: "?", maxSplits: 1)
        let query = halves.dropFirst().first?.split(separator: "&").map { item in
            let pair = item.split(separator: "=", maxSplits: 1).map {
                String($0).removingPercentEncoding ?? ""
            }
            return (name: pair.first ?? "", value: pair.dropFirst().first ?? "")
        }
        return ServedRequest(
            method: request.method, path: String(halves.first ?? "/"), query: query ?? [],
            authorization: request.headers.first { $0.name == "authorization" }?.value,
            body: request.body ?? [])
    }
}
