import AppStore

/// One change of a chain, as feeds and webhooks tell it. A pure function of the chain's facts up to
/// its position, the clock readings, the catalogue and the reducer's version.
public struct Change: Sendable {
    public var name: ChangeName
    public var place: ChangePlace
    public var chain: ChainId
    /// Counts the chain's changes from 1 without gaps.
    public var sequence: Int64
    /// When it was told: when the event arrived, or when the clock made it true. Never goes back
    /// inside a chain.
    public var toldAt: Timestamp
    /// Whether no event but the passing of time brought it.
    public var isByClock: Bool
    /// The chain's newest event by then.
    public var position: Int64
    /// What happened; nil for corrected and updated.
    public var entry: TimelineEntry?
    /// What was told before and is not so; only of corrected.
    public var withdrawn: [TimelineEntry]
    /// Of the whole life as known after it (`Lifecycle.stateBytes`).
    public var stateHash: Digest
    /// State and attributes at `toldAt`; nil while there is no state yet.
    public var answer: ChainAnswer?
    /// The facts that prove `entry` and `withdrawn`, by position.
    public var causes: [Int64: Fact]
}

/// What is kept of every change of a chain, told here or not: enough to number the next, and to
/// say which one came before it under a filter.
public struct ChangeMark: Hashable, Sendable {
    public var sequence: Int64
    public var name: ChangeName
    public var stateHash: Digest
}
