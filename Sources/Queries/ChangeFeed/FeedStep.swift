internal import AppStore

/// The work of one part of a step.
struct FeedStep {
    let head: Int64
    let horizon: Int64
    /// Chains of events up to this position have been checked.
    let lookedThrough: Int64
    let at: Timestamp
    /// Changes due later than this may not have been emitted.
    let scanStart: Timestamp
    let now: Timestamp
    let windowEnd: Timestamp
    /// Subscription starts that the end of this part resolves; if any, another part follows.
    let beginnings: [FeedBeginning]
}
