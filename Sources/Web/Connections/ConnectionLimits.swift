/// What one peer can occupy, and for how long. Each bound is tested at its value and one past it.
public struct ConnectionLimits: Sendable, Equatable {
    /// Open connections. Beyond it a new one replaces one that has never sent a request, or is
    /// closed at once.
    public var connectionCount = 1_024
    /// How many of them are reserved for `server.notificationNetworks`, where that is set.
    public var reservedConnectionCount = 128
    /// Open connections per address, except trusted proxies and loopback.
    public var connectionsPerAddress = 128

    /// Connections that an address may always have, even when few are free.
    static let leastConnectionsPerAddress = 4
    /// Divisor of the connections that are free or an address's own: it may hold that share, so
    /// that a few addresses cannot exhaust the limit.
    static let partsOfFreeRoom = 8

    /// From the connection to the end of the TLS handshake.
    public var handshakeSeconds = 10
    /// From the first byte of a request's head to its end.
    public var headSeconds = 10
    /// From the connection, or from a response, to the first byte of the next request's head.
    public var idleSeconds = 60
    /// From a request's head to the end of its body.
    public var bodySeconds = 30
    /// How long a connection may accept nothing that is written to it.
    public var stallSeconds = 30
    /// Bytes of a head with its fields.
    public var headByteCount = 16 * 1024
    public var headFieldCount = 64

    public init() {}
}
