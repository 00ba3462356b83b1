import AppStore
import Ledger
internal import LedgerStore
import Synchronization

/// The newest events of each app, followed along the log: each call reads what was appended since
/// the previous one, the first one a bounded part.
final class AppArrivals: Sendable {
    private let turn = AsyncLock()
    private let state = Mutex(Known())

    /// What the events that were read so far say.
    struct Known: Sendable {
        fileprivate var position: Int64 = 0
        /// Apps without an event among those read are missing.
        fileprivate(set) var apps: [BundleId: Newest] = [:]
        /// When the oldest event was received; a time that an import claims is no arrival here.
        fileprivate(set) var oldestAt: Timestamp?
    }

    /// The newest events of one app.
    struct Newest: Sendable, Equatable {
        /// By source; all from `webhook` are notifications of Apple's.
        var receivedAt: [EventSource: Timestamp]
        var eventAt: Timestamp
        var position: Int64
    }

    /// Events read at most by one call: 20,000.
    static let eventCount = 20 * Int64(LogLimits.pageEventCount)

    /// - Parameter count: events read at most, the newest.
    func newest(in log: any LedgerLog, atMost count: Int64) async throws -> Known {
        try await turn.pass {
            let head = try await log.head().position
            var known = state.withLock { $0 }
            // The log went back: what was read may be gone.
            if head < known.position { known = Known() }
            known.position = max(known.position, head - count)
            while known.position < head {
                let events = try await log.events(
                    after: known.position, through: head, damaged: .marked)
                guard let last = events.last else { break }
                for event in events { known.note(event) }
                known.position = last.position
            }
            state.withLock { $0 = known }
            return known
        }
    }
}

extension AppArrivals.Known {
    fileprivate mutating func note(_ event: RecordedEvent) {
        let app = event.attributes.bundleId
        var receivedAt = apps[app]?.receivedAt ?? [:]
        receivedAt[event.attributes.source] = event.receivedAt
        apps[app] = AppArrivals.Newest(
            receivedAt: receivedAt, eventAt: event.receivedAt, position: event.position)
        if oldestAt == nil, !event.receivedAtClaimed { oldestAt = event.receivedAt }
    }
}
