import LedgerStore

/// What callers were told while calls failed.
struct FaultAnswers: Sendable {
    /// The events that were acknowledged, with the answer.
    var events: [(event: NewEvent, result: AppendResult)] = []
    /// Why others were not.
    var codes: Set<StoreError.Code> = []
}
