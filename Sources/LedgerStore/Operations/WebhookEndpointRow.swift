public import AppStore
public import Ledger

/// Where an endpoint stands, kept across restarts.
public struct WebhookEndpointRow: Hashable, Sendable {
    public let name: String
    /// Everything up to here was delivered, or is waiting.
    public private(set) var cursor: ChangePlace
    /// Of the event at the cursor's position; nil at position 0, and where nobody looked it up yet.
    /// Another one there is of another log.
    public var leafHash: Digest?
    /// When it answered that it is gone.
    public var disabledAt: Timestamp?
    public var lastAttemptAt: Timestamp?
    public var lastSuccessAt: Timestamp?
    /// How the last attempt ended: a status, or a code.
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
    /// A hash never outlives its position: kept beside another one, it would make this log look
    /// like another.
    public mutating func move(to place: ChangePlace) {
        if place.position != cursor.position { leafHash = nil }
        cursor = place
    }
}

/// A change that an endpoint did not take yet, or never took in time.
public struct WaitingChange: Hashable, Sendable {
    public let place: ChangePlace
    public let chain: ChainId
    public var chainPlace: ChainPlace { ChainPlace(place: place, chain: chain) }
    /// 0: it waits only because an earlier change of its chain does.
    public var attempts: Int64
    /// When it was first to be delivered.
    public var firstAt: Timestamp
    /// Not before.
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
