import AppStoreAPI
import Synchronization
import Testing

/// Holds requests back until a given number is in progress, once; reports the maximum.
final class CrowdedTransport: APITransport {
    private struct State {
        /// Requests that still pass immediately.
        var free: Int
        var onTheirWay = 0
        var most = 0
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let inner: any APITransport
    private let width: Int
    private let state: Mutex<State>

    /// Yields to further requests before any is released.
    private static let patience = 2_000

    /// - Parameter free: how many of the first requests pass at once.
    init(_ inner: any APITransport, width: Int, after free: Int = 0) {
        self.inner = inner
        self.width = width
        state = Mutex(State(free: free))
    }

    /// The maximum of concurrent requests.
    var most: Int { state.withLock { $0.most } }

    func send(
        _ request: TransportRequest
    ) async throws(TransportFailure) -> TransportResponse {
        await enter()
        defer { state.withLock { $0.onTheirWay -= 1 } }
        return try await inner.send(request)
    }

    private func enter() async {
        let (isFree, isFull) = state.withLock { state in
            state.onTheirWay += 1
            state.most = max(state.most, state.onTheirWay)
            state.free -= 1
            return (state.free >= 0, state.onTheirWay >= width)
        }
        if isFree { return }
        if isFull {
            // One request beyond the limit would arrive now.
            for _ in 0..<CrowdedTransport.patience { await Task.yield() }
            let waiting = state.withLock { state in
                state.isOpen = true
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        } else {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
        }
    }
}
