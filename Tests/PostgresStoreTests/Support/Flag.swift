import Synchronization

/// A flag that several tasks share.
final class Flag: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() { state.withLock { $0 = true } }
}

/// The positions that were acknowledged, by event.
final class Acknowledged: Sendable {
    private let state = Mutex<[String: Int64]>([:])

    var all: [String: Int64] { state.withLock { $0 } }

    func note(_ id: String, _ position: Int64) { state.withLock { $0[id] = position } }
}
