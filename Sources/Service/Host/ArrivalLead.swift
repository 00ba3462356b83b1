import AppStore
internal import LedgerStore

/// Whether the log's newest arrival is ahead of the clock, as after a clock that jumped forward
/// and was set right: until the clock has caught up, the log dates by it whatever arrives.
struct ArrivalLead: Sendable {
    /// By how much arrivals may be dated ahead of the clock without a word, milliseconds: clocks
    /// are set right by less all the time.
    static let tolerableMilliseconds: Int64 = 60_000

    private var newest: Timestamp?
    private var isTold = false

    /// - Parameter newest: the newest arrival in the log that nobody claimed.
    init(newest: Timestamp?) { self.newest = newest }

    /// Notes an event that was appended with this time of the clock.
    ///
    /// Returns by how many milliseconds the log dated it ahead of the clock, if that is more than
    /// tolerable; once, until the clock has caught up.
    mutating func note(receivedAt: Timestamp) -> Int64? {
        let lead = newest.map { $0.milliseconds(since: receivedAt) } ?? 0
        newest = max(newest ?? receivedAt, receivedAt)
        guard lead > ArrivalLead.tolerableMilliseconds else {
            isTold = false
            return nil
        }
        defer { isTold = true }
        return isTold ? nil : lead
    }

    /// As above, of whatever was written of a batch. What an import claims says nothing of the
    /// clock, and what was known before was not dated again.
    mutating func note(_ events: [NewEvent], _ results: [AppendResult]) -> Int64? {
        var told: Int64?
        for (event, result) in zip(events, results) where !event.receivedAtClaimed {
            if case .duplicate = result { continue }
            told = note(receivedAt: event.receivedAt) ?? told
        }
        return told
    }
}
