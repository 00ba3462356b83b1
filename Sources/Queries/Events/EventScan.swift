internal import AppStore
package import LedgerStore

/// Walks over a log in one direction for one page.
package struct EventScan {
    private let log: any LedgerLog
    private let filter: EventFilter
    private let head: Int64
    private let limit: Int
    private let withEvidence: Bool

    /// Events whose evidence is read at once.
    private static let evidenceBatchCount = 64

    /// - Parameters:
    ///   - head: the end of the log.
    ///   - limit: admitted events per page.
    ///   - withEvidence: whether the evidence is read, too.
    package init(
        _ log: any LedgerLog, _ filter: EventFilter, head: Int64, limit: Int, withEvidence: Bool
    ) {
        self.log = log
        self.filter = filter
        self.head = head
        self.limit = limit
        self.withEvidence = withEvidence
    }

    /// Passes the admitted events to `add` until it returns false, the page is full, or
    /// `EventFilter.scannedCount` events were scanned. Returns the position to continue from in the
    /// same direction; nil at the beginning of the log, never at its end.
    package func run(
        from place: EventPlace, _ add: (RecordedEvent, _ evidence: [UInt8]?) throws -> Bool
    ) async throws -> Int64? {
        var (place, found, scanned) = (place, 0, 0)
        if case .before(let position) = place {
            place = .before(min(position ?? .max, head + 1))
        }
        while scanned < EventFilter.scannedCount, found < limit {
            let wanted = filter == EventFilter() ? limit - found : LogLimits.pageEventCount
            let batch = try await batch(place, min(EventFilter.scannedCount - scanned, wanted))
            guard !batch.isEmpty else { break }
            for (event, logged) in batch {
                if filter.admits(event) {
                    guard try add(event, try await evidence(event, logged)) else {
                        return position(place)
                    }
                    found += 1
                }
                place = moved(place, to: event.position)
                scanned += 1
                if found == limit { break }
            }
        }
        return position(place)
    }

    private func moved(_ place: EventPlace, to position: Int64) -> EventPlace {
        switch place {
        case .after: .after(position)
        case .before: .before(position)
        }
    }

    private func position(_ place: EventPlace) -> Int64? {
        switch place {
        case .after(let position): position
        case .before(let position): position.flatMap { $0 > 1 ? $0 : nil }
        }
    }

    private func batch(
        _ place: EventPlace, _ limit: Int
    ) async throws(StoreError) -> [(event: RecordedEvent, logged: LoggedEvent?)] {
        switch place {
        case .after(let position):
            guard withEvidence, !filter.isSelective else {
                return try await log.events(
                    after: position, through: head, limit: min(limit, LogLimits.pageEventCount)
                ).map { ($0, nil) }
            }
            return try await log.page(
                after: position, through: head, limit: min(limit, EventScan.evidenceBatchCount)
            ).map { ($0.event, $0) }
        case .before(let position):
            let end = (position ?? head + 1) - 1
            let count = Int64(min(limit, LogLimits.pageEventCount))
            guard end > 0 else { return [] }
            return try await log.events(
                after: max(0, end - count), through: end, limit: LogLimits.pageEventCount
            ).reversed().map { ($0, nil) }
        }
    }

    private func evidence(
        _ event: RecordedEvent, _ logged: LoggedEvent?
    ) async throws(StoreError) -> [UInt8]? {
        guard withEvidence else { return nil }
        if let logged { return try logged.originalBytes() ?? [] }
        return try await log.event(at: event.position)?.originalBytes() ?? []
    }
}
