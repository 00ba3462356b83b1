internal import Service
import Synchronization

/// Counts open connections per address. The /64 of an IPv6 address counts as one address, since a
/// subscriber is assigned at least that (RFC 6177 §2).
final class ConnectionLimiter: Sendable {
    private let limits: ConnectionLimits
    private let trusted: [NetworkRange]
    private let reserved: [NetworkRange]
    private let state = Mutex(State())

    /// One open connection.
    private struct Connection {
        let holder: String
        let isReserved: Bool
        let close: @Sendable () -> Void
        /// Order of arrival while no request has come; nil afterwards.
        var silentSince: UInt64?
    }

    private struct State {
        var arrivals: UInt64 = 0
        var connections: [ObjectIdentifier: Connection] = [:]
        var perHolder: [String: Int] = [:]
        /// Connections from reserved networks.
        var reserved = 0
    }

    /// - Parameters:
    /// - trusted: proxies, which have no limit per address.
    /// - reserved: networks for which `limits.reservedConnectionCount` connections are reserved.
    init(limits: ConnectionLimits, trusted: [NetworkRange], reserved: [NetworkRange] = []) {
        self.limits = limits
        self.trusted = trusted
        self.reserved = reserved
    }

    var count: Int { state.withLock { $0.connections.count } }

    /// Counts a connection if there is room. If there is none, closes one that has never sent a
    /// request to make room.
    ///
    /// - Parameter close: closes the connection; called at most once, and never before this
    ///   returns.
    /// - Returns: whether the connection may stay.
    func enter(
        _ id: ObjectIdentifier, from address: String, close: @escaping @Sendable () -> Void
    ) -> Bool {
        let holder = NetworkRange.subscriber(of: address)
        let isReserved = reserved.contains { $0.contains(address) }
        let (isIn, evicted) = state.withLock { state -> (Bool, Connection?) in
            let held = state.perHolder[holder, default: 0]
            let free = free(state, isReserved: isReserved)
            let bound =
                isReserved
                ? limits.connectionsPerAddress
                : share(of: max(0, free) + held)
            guard !isBounded(address) || held < bound else { return (false, nil) }
            var evicted: Connection?
            if free <= 0 {
                guard let silent = Self.silent(state) else { return (false, nil) }
                evicted = Self.remove(silent, from: &state)
            }
            state.arrivals += 1
            state.connections[id] = Connection(
                holder: holder, isReserved: isReserved, close: close,
                silentSince: state.arrivals)
            state.perHolder[holder, default: 0] += 1
            if isReserved { state.reserved += 1 }
            return (true, evicted)
        }
        evicted?.close()
        return isIn
    }

    /// Records that a request came over a connection.
    func requested(_ id: ObjectIdentifier) {
        state.withLock { $0.connections[id]?.silentSince = nil }
    }

    func leave(_ id: ObjectIdentifier) {
        state.withLock { _ = Self.remove(id, from: &$0) }
    }

    /// How many more connections are allowed.
    private func free(_ state: State, isReserved: Bool) -> Int {
        let free = limits.connectionCount - state.connections.count
        guard !isReserved, !reserved.isEmpty else { return free }
        let others = state.connections.count - state.reserved
        return min(free, limits.connectionCount - limits.reservedConnectionCount - others)
    }

    /// How many connections one address may hold, of those that are free or its own.
    private func share(of room: Int) -> Int {
        min(
            limits.connectionsPerAddress,
            max(
                ConnectionLimits.leastConnectionsPerAddress,
                room / ConnectionLimits.partsOfFreeRoom))
    }

    private func isBounded(_ address: String) -> Bool {
        !NetworkRange.isLoopback(address) && !trusted.contains { $0.contains(address) }
    }

    /// The oldest connection without a request, of the address that has most of them; never one of
    /// a reserved network.
    private static func silent(_ state: State) -> ObjectIdentifier? {
        let silent = state.connections.filter {
            $0.value.silentSince != nil && !$0.value.isReserved
        }
        let counts = silent.values.reduce(into: [String: Int]()) { $0[$1.holder, default: 0] += 1 }
        guard let most = counts.values.max() else { return nil }
        return silent.filter { counts[$0.value.holder] == most }
            .min { ($0.value.silentSince ?? 0) < ($1.value.silentSince ?? 0) }?.key
    }

    private static func remove(_ id: ObjectIdentifier, from state: inout State) -> Connection? {
        guard let connection = state.connections.removeValue(forKey: id) else { return nil }
        let held = state.perHolder[connection.holder, default: 1] - 1
        state.perHolder[connection.holder] = held > 0 ? held : nil
        if connection.isReserved { state.reserved -= 1 }
        return connection
    }
}
