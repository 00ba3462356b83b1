import LedgerStore

/// The results returned to callers while calls failed.
struct FaultAnswers: Sendable {
    /// The acknowledged events with their results.
    var events: [(event: NewEvent, result: AppendResult)] = []
    /// The error codes of the others.
    var codes: Set<StoreError.Code> = []
}
