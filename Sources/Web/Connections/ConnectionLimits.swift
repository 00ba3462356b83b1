/// What one sender can hold on to, and for how long. Each is tested at the bound and one past it.
public struct ConnectionLimits: Sendable, Equatable {
    /// Open connections; beyond it a new one takes the place of one that has never sent a request,
    /// or is closed at once.
    public var connectionCount = 1_024
    /// How many of them are kept for `server.notificationNetworks`, where that is set.
    public var reservedConnectionCount = 128
    /// Open connections of one address at most, trusted proxies and this machine's own excepted.
    public var connectionsPerAddress = 128
    /// Open requests of HTTP/2, of all connections together; beyond it a new one is refused. What
    /// waits for their readers is bounded with it. 2,048.
    public var streamCount = 2_048
    /// Of one address at most, over all its connections, with the same exceptions.
    public var streamsPerAddress = 256

    /// What an address may always hold, however little is free.
    static let leastConnectionsPerAddress = 4
    static let leastStreamsPerAddress = 8
    /// An address may hold one part in this many of what is free or already its own, so that a few
    /// addresses cannot take everything.
    static let partsOfFreeRoom = 8

    /// How much of some room one address may hold.
    static func share(of room: Int, atLeast least: Int, atMost most: Int) -> Int {
        min(most, max(least, room / partsOfFreeRoom))
    }

    /// From the connection to the end of the TLS handshake.
    public var handshakeSeconds = 10
    /// From the first byte of a request's head to its end.
    public var headSeconds = 10
    /// From the connection, or from an answer, to the first byte of the next request's head.
    public var idleSeconds = 60
    /// From a request's head to the end of its body.
    public var bodySeconds = 30
    /// How long a connection, or a stream of one, may take nothing of what is written to it.
    public var stallSeconds = 30
    /// Bytes of a head, and of its fields.
    public var headByteCount = 16 * 1024
    public var headFieldCount = 64
    /// Frames of HTTP/2 that a connection may send beyond those that its requests, bodies and answers
    /// account for. 2,048.
    public var frameCount = 2_048
    /// Frames that a second accounts for: PING, and room for streams that say little.
    public var framesPerSecond = 16

    public init() {}
}
