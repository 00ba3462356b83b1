import AppStore

@testable import LedgerStore

/// The rows of one log of the reference engine.
struct MemoryRows {
    private(set) var all: [LoggedEvent] = []
    /// The newest unclaimed arrival.
    private(set) var newestReceivedAt: Timestamp?
    /// The positions of the events of one identity, the first and its conflicts.
    private var places: [Digest: [Int]] = [:]

    func rivals(of identity: Digest) -> [LoggedEvent] {
        (places[identity] ?? []).map { all[$0] }
    }

    mutating func add(_ row: LoggedEvent) {
        places[row.event.identity ?? row.event.key, default: []].append(all.count)
        all.append(row)
        guard !row.event.receivedAtClaimed else { return }
        newestReceivedAt = max(newestReceivedAt ?? row.event.receivedAt, row.event.receivedAt)
    }
}
