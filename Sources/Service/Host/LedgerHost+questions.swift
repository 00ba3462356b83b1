import AppStore
import Ledger
internal import LedgerStore
internal import Projection
public import Queries

/// The queries of `Contract.md`, HTTP. Each throws `MissingAnswer`, `QueryError`, `StoreError` or
/// `ServingError`.
extension LedgerHost {
    /// Largest and default number of elements on a page.
    public static let maximumPageCount = LogLimits.pageEventCount
    public static let usualPageCount = 100
    /// Maximum encoded bytes of the events on a page: 4 MiB. A page of large evidence has fewer
    /// events than requested; a larger event is a page of its own.
    public static let maximumPageByteCount = 4 * 1024 * 1024

    /// `show`.
    public func subscription(_ id: String, _ scope: QueryScope) async throws -> ServedAnswer {
        try await answer(id, scope) { $0.write(to: &$1) }
    }

    /// `timeline`, paged.
    public func timeline(
        _ id: String, _ scope: QueryScope, _ order: TimelineOrder = .oldest,
        after: TimelinePlace? = nil, limit: Int = LedgerHost.maximumPageCount
    ) async throws -> ServedAnswer {
        let limit = min(max(limit, 1), LedgerHost.maximumPageCount)
        return try await answer(id, scope) {
            $0.writeTimeline(to: &$1, $0.page(order, after: after, limit: limit))
        }
    }

    /// One chain, folded: its state, and its timeline by `ChainReading.page`.
    public func reading(_ id: String, _ scope: QueryScope) async throws -> ChainReading {
        let (ledger, snapshot, moment) = try await state(scope)
        return try await ledger.reading(id, scope, snapshot, moment)
    }

    /// An answer of the state at a position (nil: the newest), with how far the environment's
    /// answers are behind.
    ///
    /// Throws `environmentNotServed`.
    package func answer(
        _ value: some JSONWritable, at position: Int64? = nil, _ environment: Environment
    ) throws(ServingError) -> ServedAnswer {
        let served = try ledger(environment)
        return served.answer(value, at: position ?? served.projectedPosition ?? 0)
    }

    private func answer(
        _ id: String, _ scope: QueryScope,
        _ write: (ChainReading, inout JSONWriter) -> Void
    ) async throws -> ServedAnswer {
        let (ledger, snapshot, moment) = try await state(scope)
        let reading = try await ledger.reading(id, scope, snapshot, moment)
        return ServedAnswer(
            position: snapshot.position, lag: ledger.lag(after: snapshot.position)
        ) {
            write(reading, &$0)
        }
    }

    /// The moment that a scope names, by this service's clock.
    public func moment(_ scope: QueryScope) -> Moment {
        Moment(at: scope.at, now: clock(), knowledge: scope.knowledge)
    }

    /// The state that a scope asks for, and the moment, taken after the wait for it: what an event
    /// that was waited for changes from now on is in the answer. Throws as `answerMoment` at once.
    func state(
        _ scope: QueryScope
    ) async throws -> (ServedLedger, LedgerSnapshot, Moment) {
        let ledger = try ledger(scope.environment)
        _ = try answerMoment(scope)
        let snapshot = try await ledger.snapshot(for: scope)
        return (ledger, snapshot, try answerMoment(scope))
    }

    /// As `moment`, for an answer; refuses answers about the present while the clock is not
    /// trusted.
    func answerMoment(_ scope: QueryScope) throws(ServingError) -> Moment {
        if scope.at == nil { try requireClock() }
        return moment(scope)
    }

    /// Throws `clockJumped` while the system clock is not trusted.
    func requireClock() throws(ServingError) {
        if let milliseconds = clockWatch.jumpMilliseconds {
            throw .clockJumped(milliseconds: milliseconds)
        }
    }

    // MARK: Events

    /// The raw evidence of one chain, by position: `{"events":[…],"next":…,"position":…}`; `next`
    /// is null at the end. At most `byteCount` bytes of events.
    public func chainEvents(
        _ id: String, _ scope: QueryScope, after: Int64, limit: Int,
        byteCount: Int = LedgerHost.maximumPageByteCount
    ) async throws -> ServedAnswer {
        let (ledger, snapshot, moment) = try await state(scope)
        let reading = try await ledger.reading(id, scope, snapshot, moment)
        let positions = reading.positions.filter { $0 > after }
        let page = positions.prefix(min(max(limit, 1), LedgerHost.maximumPageCount))
        var lines = EventLines(scope.environment, byteCount: byteCount)
        var last: Int64?
        for position in page {
            if let logged = try await ledger.ledger.log.event(at: position) {
                let evidence = try logged.originalBytes() ?? []
                guard lines.add(logged.event, evidence: evidence) else { break }
            }
            last = position
        }
        return lines.page(
            next: last == positions.last ? nil : last, end: reading.stamp.position,
            position: snapshot.position, lag: ledger.lag(after: snapshot.position))
    }
}

extension ChainReading {
    /// The positions of the facts used, in order.
    var positions: [Int64] { facts.keys.sorted() }
}

extension ServedLedger {
    /// A value as an answer of the state at a position.
    func answer(_ value: some JSONWritable, at position: Int64) -> ServedAnswer {
        ServedAnswer(position: position, lag: lag(after: position)) { value.write(to: &$0) }
    }

    /// An object as an answer of the state at a position.
    func answer(at position: Int64, members: (inout JSONWriter) -> Void) -> ServedAnswer {
        ServedAnswer(position: position, lag: lag(after: position)) { json in json.object(members) }
    }
}
