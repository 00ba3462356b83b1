import AppStore
import Ledger
import LedgerStore

/// The answers of `contract.md`, HTTP. Each throws `QueryError` or `ServingError`.
extension LedgerHost {
    /// Largest and usual number of elements on a page.
    public static let maximumPageCount = LogLimits.pageEventCount
    public static let usualPageCount = 100

    /// `show`.
    public func subscription(_ id: String, _ scope: QuestionScope) async throws -> ServedAnswer {
        try await answer(id, scope) { $0.writeShow(to: &$1, isStamped: $2) }
    }

    /// `timeline`, by pages.
    ///
    /// - Parameter after: the place of the last entry of the page before; nil begins.
    public func timeline(
        _ id: String, _ scope: QuestionScope, after: TimelinePlace? = nil,
        limit: Int = LedgerHost.maximumPageCount
    ) async throws -> ServedAnswer {
        let limit = min(max(limit, 1), LedgerHost.maximumPageCount)
        return try await answer(id, scope) {
            $0.writeTimeline(to: &$1, after: after, limit: limit, isStamped: $2)
        }
    }

    private func answer(
        _ id: String, _ scope: QuestionScope,
        _ write: (ChainReading, inout JSONWriter, Bool) -> Void
    ) async throws -> ServedAnswer {
        let ledger = try ledger(scope.environment)
        let (reading, snapshot) = try await ledger.reading(id, scope, moment: moment(scope))
        return ServedAnswer(position: snapshot.position, lag: ledger.lag.positions) {
            write(reading, &$0, $1)
        }
    }

    /// What a scope asks about, by this service's clock.
    public func moment(_ scope: QuestionScope) -> Moment {
        Moment(at: scope.at, now: clock(), knowledge: scope.knowledge)
    }

    // MARK: Events

    /// The raw evidence of one chain, by position: `{"events":[…],"next":…,"position":…}`; `next`
    /// is null at the end.
    public func chainEvents(
        _ id: String, _ scope: QuestionScope, after: Int64, limit: Int
    ) async throws -> ServedAnswer {
        let ledger = try ledger(scope.environment)
        let (reading, snapshot) = try await ledger.reading(id, scope, moment: moment(scope))
        let positions = reading.positions.filter { $0 > after }
        let page = positions.prefix(min(max(limit, 1), LedgerHost.maximumPageCount))
        var lines: [(RecordedEvent, [UInt8])] = []
        var byteCount = 0
        for position in page {
            guard let logged = try await ledger.ledger.log.event(at: position) else { continue }
            let evidence = try logged.originalBytes() ?? []
            lines.append((logged.event, evidence))
            byteCount += evidence.count
            if byteCount > LogLimits.pageByteCount { break }
        }
        let next = lines.count < positions.count ? lines.last?.0.position : nil
        let environment = scope.environment
        return ServedAnswer(position: snapshot.position, lag: ledger.lag.positions) {
            json, isStamped in
            json.object { json in
                json.array("events", lines) { json, line in
                    line.0.write(to: &json, evidence: line.1, environment)
                }
                json.member("next", next)
                if isStamped { json.member("position", reading.position) }
            }
        }
    }

    /// The log by position, contiguous: `{"events":[…],"next":…,"position":…}`. `next` is the
    /// position to ask after next time, whether or not there is anything yet; `position` the end of
    /// the log. With a bundle id the events of other apps are left out, and `next` passes them.
    public func events(
        _ scope: QuestionScope, after: Int64, limit: Int, withEvidence: Bool
    ) async throws -> ServedAnswer {
        let ledger = try ledger(scope.environment)
        let limit = min(max(limit, 1), LedgerHost.maximumPageCount)
        let log = ledger.ledger.log
        let head = try await log.head().position
        guard after <= head else { throw ServingError.cursorBeyondLog(head: head) }
        var lines: [(RecordedEvent, [UInt8]?)] = []
        if withEvidence {
            for logged in try await log.page(after: after, through: head, limit: limit) {
                lines.append((logged.event, try logged.originalBytes()))
            }
        } else {
            lines = try await log.events(after: after, through: head, limit: limit).map {
                ($0, nil)
            }
        }
        let next = lines.last?.0.position ?? after
        let wanted = lines.filter {
            scope.bundleId == nil || $0.0.attributes.bundleId == scope.bundleId
        }
        let environment = scope.environment
        return ServedAnswer(
            position: ledger.projectedPosition ?? 0, lag: ledger.lag.positions
        ) { json, isStamped in
            json.object { json in
                json.array("events", wanted) { json, line in
                    line.0.write(to: &json, evidence: line.1, environment)
                }
                json.member("next", next)
                if isStamped { json.member("position", head) }
            }
        }
    }
}

extension ChainReading {
    /// Of the facts used, in order.
    var positions: [Int64] { facts.keys.sorted() }
}
