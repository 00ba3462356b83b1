import AppStore
import Ledger
internal import LedgerStore
import Synchronization

/// The newest events of each app, followed along the log: each call reads what was appended since
/// the previous one, the first one a bounded part.
final class AppArrivals: Sendable {
    private let turn = AsyncLock()
    private let state = Mutex(State())

    fileprivate struct State {
        var position: Int64 = 0
        var apps: [BundleId: Newest] = [:]
    }

    /// The newest events of one app.
    struct Newest: Sendable, Equatable {
        var notificationAt: Timestamp?
        var eventAt: Timestamp
        var position: Int64
    }

    /// Events read at most by one call, the newest: 20,000.
    static let eventCount = Int64(ServedLedger.arrivalPageCount * LogLimits.pageEventCount)

    /// By app; apps without an event among those read are missing.
    func newest(in log: any LedgerLog) async throws -> [BundleId: Newest] {
        try await turn.pass {
            let head = try await log.head().position
            var known = state.withLock { $0 }
            // The log went back: what was read may be gone.
            if head < known.position { known = State() }
            known.position = max(known.position, head - AppArrivals.eventCount)
            while known.position < head {
                let events = try await log.events(
                    after: known.position, through: head, damaged: .marked)
                guard let last = events.last else { break }
                for event in events { known.note(event) }
                known.position = last.position
            }
            state.withLock { $0 = known }
            return known.apps
        }
    }
}

extension AppArrivals.State {
    fileprivate mutating func note(_ event: RecordedEvent) {
        let attributes = event.attributes
        let isFromApple =
            attributes.source == .webhook
            && [.notification, .notificationV1].contains(attributes.kind)
        apps[attributes.bundleId] = AppArrivals.Newest(
            notificationAt: isFromApple
                ? event.receivedAt : apps[attributes.bundleId]?.notificationAt,
            eventAt: event.receivedAt, position: event.position)
    }
}
