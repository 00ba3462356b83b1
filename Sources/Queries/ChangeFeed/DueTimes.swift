internal import AppStore
import Ledger

/// The times at which the clock will change chains. Entries may be out of date; the caller checks
/// the chain again.
struct DueTimes: Sendable {
    private var entries: [(at: Timestamp, chain: ChainId)] = []
    /// Later entries are dropped; all rows are scanned again by then.
    var windowEnd = Timestamp(milliseconds: .min)

    mutating func removeAll() { entries = [] }

    mutating func add(_ at: Timestamp, _ chain: ChainId) {
        if at <= windowEnd { entries.append((at, chain)) }
    }

    /// Removes and returns the chains that are due by a time.
    mutating func take(by time: Timestamp) -> Set<ChainId> {
        let due = Set(entries.filter { $0.at <= time }.map(\.chain))
        if !due.isEmpty { entries.removeAll { $0.at <= time } }
        return due
    }
}
