public import AppStore
public import Ledger

/// The state of an endpoint, kept across restarts.
public struct WebhookEndpointRow: Hashable, Sendable {
    public let name: String
    /// Everything up to here was delivered, or is waiting.
    public private(set) var cursor: ChangePlace
    /// The cursor's place in the log.
    package var end: ProjectionCursor {
        ProjectionCursor(position: cursor.position, leafHash: leafHash)
    }
    /// The leaf hash at the cursor's position; nil at position 0, and where it was not looked up
    /// yet. A different leaf at that position means another log.
    public var leafHash: Digest?
    /// When it reported that it is gone.
    public var disabledAt: Timestamp?
    public var lastAttemptAt: Timestamp?
    public var lastSuccessAt: Timestamp?
    /// The result of the last attempt: a status, or a code.
    public var lastOutcome: String?

    public init(
        name: String, cursor: ChangePlace, leafHash: Digest? = nil, disabledAt: Timestamp? = nil,
        lastAttemptAt: Timestamp? = nil, lastSuccessAt: Timestamp? = nil,
        lastOutcome: String? = nil
    ) {
        self.name = name
        self.cursor = cursor
        self.leafHash = leafHash
        self.disabledAt = disabledAt
        self.lastAttemptAt = lastAttemptAt
        self.lastSuccessAt = lastSuccessAt
        self.lastOutcome = lastOutcome
    }
}

extension WebhookEndpointRow {
    /// Clears the hash when the position changes: with another position, this log would look like
    /// another one.
    public mutating func move(to place: ChangePlace) {
        if place.position != cursor.position { leafHash = nil }
        cursor = place
    }
}

/// A change that an endpoint has not accepted yet, or did not accept in time.
public struct WaitingChange: Hashable, Sendable {
    public let place: ChangePlace
    public let chain: ChainId
    public var chainPlace: ChainPlace { ChainPlace(place: place, chain: chain) }
    /// 0 when it waits only because an earlier change of its chain does.
    public var attempts: Int64
    /// When it was first scheduled.
    public var firstAt: Timestamp
    /// The earliest time of the next attempt.
    public var nextAt: Timestamp
    public var outcome: String?
    /// When it was given up.
    public var parkedAt: Timestamp?

    public init(
        place: ChangePlace, chain: ChainId, attempts: Int64, firstAt: Timestamp,
        nextAt: Timestamp, outcome: String? = nil, parkedAt: Timestamp? = nil
    ) {
        self.place = place
        self.chain = chain
        self.attempts = attempts
        self.firstAt = firstAt
        self.nextAt = nextAt
        self.outcome = outcome
        self.parkedAt = parkedAt
    }
}
