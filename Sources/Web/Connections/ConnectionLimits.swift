/// What one sender can hold on to, and for how long. Each is tested at the bound and one past it.
public struct ConnectionLimits: Sendable, Equatable {
    /// Open connections; beyond it new ones are closed at once.
    public var connectionCount = 1_024
    /// Open connections of one address, trusted proxies and this machine's own excepted.
    public var connectionsPerAddress = 128
    /// Open requests of HTTP/2, of all connections together; beyond it a new one is refused. What
    /// waits for their readers is bounded with it. 2,048.
    public var streamCount = 2_048
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
