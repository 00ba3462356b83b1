import Synchronization

/// The positions that were acknowledged, by event.
final class Acknowledged: Sendable {
    private let state = Mutex<[String: Int64]>([:])

    var all: [String: Int64] { state.withLock { $0 } }

    func note(_ id: String, _ position: Int64) { state.withLock { $0[id] = position } }
}
