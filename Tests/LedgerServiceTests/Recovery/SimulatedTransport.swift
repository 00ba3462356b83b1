import AppStore
import AppStoreAPI
import Foundation
import Simulator
import Synchronization

/// The simulated API without a socket.
struct SimulatedTransport: APITransport {
    let api: SimulatedAPI

    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportAnswer {
        guard !Task.isCancelled else { throw .cancelled }
        let target = request.url.dropFirst("http://127.0.0.1:1".count)
        let parts = target.split(separator: "?", maxSplits: 1)
        let query = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { item in
            let pair = item.split(separator: "=", maxSplits: 1)
            return (
                name: String(pair[0]),
                value: pair.count > 1 ? String(pair[1]).removingPercentEncoding ?? "" : ""
            )
        }
        let reply = api.answer(
            ServedRequest(
                method: request.method, path: String(parts[0]), query: query,
                authorization: request.headers.first { $0.name == "authorization" }?.value,
                body: request.body ?? []))
        guard reply.manner == .whole else { throw .disconnected }
        let headers = reply.headers
        return TransportAnswer(
            status: reply.status, retryAfter: headers.first { $0.name == "retry-after" }?.value,
            date: headers.first { $0.name == "date" }?.value, body: reply.body)
    }
}

/// A clock that only waiting moves.
final class WaitingClock: RequestClock {
    private let time: Mutex<Timestamp>
    private let start: Timestamp

    init(_ start: Timestamp) {
        self.start = start
        time = Mutex(start)
    }

    var now: Timestamp { time.withLock { $0 } }
    var elapsedMilliseconds: Int64 { now.milliseconds(since: start) }

    func sleep(milliseconds: Int64) async throws(CancellationError) {
        guard !Task.isCancelled else { throw CancellationError() }
        time.withLock { $0 = $0.advanced(byMilliseconds: milliseconds) }
    }
}
