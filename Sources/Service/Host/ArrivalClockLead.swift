import AppStore
internal import LedgerStore

/// Whether the log's newest arrival time is ahead of the clock, as after a clock that jumped
/// forward and was corrected. Until the clock catches up, the log dates new arrivals by the newest
/// one.
struct ArrivalClockLead: Sendable {
    /// Lead that is not reported, milliseconds: clock corrections below it are routine.
    static let tolerableMilliseconds: Int64 = 60_000

    private var newest: Timestamp?
    private var isReported = false

    /// - Parameter newest: the newest arrival time in the log that was not claimed by an import.
    init(newest: Timestamp?) { self.newest = newest }

    /// Notes an event that was appended at this clock time.
    ///
    /// Returns by how many milliseconds the log dated it ahead of the clock, if that exceeds the
    /// tolerance; once, until the clock has caught up.
    mutating func note(receivedAt: Timestamp) -> Int64? {
        let lead = newest.map { $0.milliseconds(since: receivedAt) } ?? 0
        newest = max(newest ?? receivedAt, receivedAt)
        guard lead > ArrivalClockLead.tolerableMilliseconds else {
            isReported = false
            return nil
        }
        defer { isReported = true }
        return isReported ? nil : lead
    }

    /// Notes the newly written events of a batch. Arrival times claimed by an import say nothing
    /// about the clock, and duplicates were not dated again.
    mutating func note(_ events: [NewEvent], _ results: [AppendResult]) -> Int64? {
        var reported: Int64?
        for (event, result) in zip(events, results) where !event.receivedAtClaimed {
            if case .duplicate = result { continue }
            reported = note(receivedAt: event.receivedAt) ?? reported
        }
        return reported
    }
}
