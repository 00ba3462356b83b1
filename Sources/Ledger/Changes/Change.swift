import AppStore

/// One change of a chain, as emitted by feeds and webhooks. A pure function of the chain's facts up
/// to its position, the clock readings, the catalogue and the reducer's version.
public struct Change: Sendable {
    public var name: ChangeName
    public var place: ChangePlace
    public var chain: ChainId
    /// Counts the chain's changes from 1 without gaps.
    public var sequence: Int64
    /// When it was emitted: on arrival of the event, or when it became true by the clock. Never
    /// decreases within a chain.
    public var emittedAt: Timestamp
    /// Whether the passing of time alone caused it.
    public var isByClock: Bool
    /// The chain's newest event at that time.
    public var position: Int64
    /// What happened; nil for corrected and updated.
    public var entry: TimelineEntry?
    /// Entries emitted before that are no longer true; only for `corrected`.
    public var withdrawn: [TimelineEntry]
    /// Hash of the whole life as known after the change (`Lifecycle.stateBytes`).
    public var stateHash: Digest
    /// State and attributes at `emittedAt`; nil while there is no state yet.
    public var answer: ChainAnswer?
    /// The facts that prove `entry` and `withdrawn`, by position.
    public var causes: [Int64: Fact]
}

/// The part of a change kept for every change of a chain, emitted or not: enough to number the next
/// one and to find the one before it under a filter.
public struct ChangeMark: Hashable, Sendable {
    public var sequence: Int64
    public var name: ChangeName
    public var stateHash: Digest
}
