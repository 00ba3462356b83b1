import LedgerService
import Synchronization

/// How many connections are open, and whose they are.
final class ConnectionCensus: Sendable {
    private let limits: ConnectionLimits
    private let trusted: [NetworkRange]
    private let state = Mutex(State())

    private struct State {
        var total = 0
        var streams = 0
        var addresses: [String: Int] = [:]
    }

    init(limits: ConnectionLimits, trusted: [NetworkRange]) {
        self.limits = limits
        self.trusted = trusted
    }

    /// Open connections.
    var count: Int { state.withLock { $0.total } }

    /// Whether there is room for a connection from an address; counts it if so.
    func enter(_ address: String) -> Bool {
        let isBounded =
            !NetworkRange.isLoopback(address) && !trusted.contains { $0.contains(address) }
        return state.withLock { state in
            let held = state.addresses[address, default: 0]
            guard state.total < limits.connectionCount,
                !isBounded || held < limits.connectionsPerAddress
            else { return false }
            state.total += 1
            state.addresses[address] = held + 1
            return true
        }
    }

    func leave(_ address: String) {
        state.withLock { state in
            state.total -= 1
            let held = state.addresses[address, default: 1] - 1
            state.addresses[address] = held > 0 ? held : nil
        }
    }

    // MARK: Streams of HTTP/2

    /// Open streams of all connections.
    var streamCount: Int { state.withLock { $0.streams } }

    /// Whether there is room for one stream more; counts it if so.
    func enterStream() -> Bool {
        state.withLock { state in
            guard state.streams < limits.streamCount else { return false }
            state.streams += 1
            return true
        }
    }

    func leaveStream() { state.withLock { $0.streams -= 1 } }
}
