internal import LedgerStore
internal import Synchronization

/// Positions of the log that a reader could not read, each reported once.
struct UnreadablePositions {
    private var reported: Set<Int64> = []
    private var unreported: [Int64] = []

    mutating func note(_ position: Int64) {
        guard reported.count < LogLimits.unreadablePositionCount, reported.insert(position).inserted
        else {
            return
        }
        unreported.append(position)
    }

    mutating func take() -> [Int64] {
        defer { unreported = [] }
        return unreported.sorted()
    }
}

extension EventLog {
    public func takeUnreadablePositions() -> [Int64] { unreadable.withLock { $0.take() } }

    func note(_ events: [RecordedEvent]) {
        let damaged = events.lazy.filter(\.isDamaged).map(\.position)
        for position in damaged { unreadable.withLock { $0.note(position) } }
    }

    func note(_ page: [LoggedEvent]) {
        for logged in page where logged.damage != nil {
            unreadable.withLock { $0.note(logged.event.position) }
        }
    }
}
