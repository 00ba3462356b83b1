internal import LedgerStore
internal import Synchronization

/// How a reader handles rows of the log with invalid values.
public enum DamagedRows: Sendable {
    /// Reading ends with `fileCorrupt`, which names the position. For readers that pass on the log
    /// itself (copies, exports, feeds of events): they would otherwise pass on data that was never
    /// received.
    case refused
    /// The row is returned as far as it can be read, and marked (`RecordedEvent.isDamaged`). For
    /// readers that answer about chains: no chain stops the others (`design.md` §3).
    case marked
}

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
    /// Positions whose row or evidence could not be read since the last call; each once, and the
    /// first `LogLimits.unreadablePositionCount` only.
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
