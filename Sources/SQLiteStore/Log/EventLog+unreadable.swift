internal import LedgerStore
internal import Synchronization

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
