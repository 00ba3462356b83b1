internal import AppStore

/// What one part of a step works on.
struct FeedLeg {
    let head: Int64
    let horizon: Int64
    /// The chains of events up to here were looked at.
    let lookedThrough: Int64
    /// From when a scan looks.
    let scansFrom: Timestamp
    let at: Timestamp
    let now: Timestamp
    let windowEnd: Timestamp
    /// Those that begin where it ends.
    let beginnings: [FeedBeginning]
    /// Whether there is more to take in than it goes.
    let isCut: Bool
}
