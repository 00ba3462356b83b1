import AppStore
import Ledger
public import LedgerStore
internal import Projection
public import Queries
internal import SQLiteStore

/// The log itself, by position. Each throws `StoreError` or `ServingError`.
extension LedgerHost {
    /// A page of the log. Going on from `next` in the same direction lists every admitted event
    /// once; a page may be empty before the end, since it scans `EventFilter.scannedCount` events
    /// at most.
    ///
    /// - `filter`: its app is that of the scope, where that names one.
    /// - `limit`: 1 to `maximumPageCount`; other values are clamped.
    /// - Returns: `next` to continue from: after it going forward, also at the end of the log;
    ///   before it going back, nil at the beginning. `head` is the end of the log.
    public func eventPage(
        _ scope: QueryScope, _ filter: EventFilter = EventFilter(), from place: EventPlace,
        limit: Int = LedgerHost.usualPageCount
    ) async throws -> (events: [RecordedEvent], next: Int64?, head: Int64) {
        let (scan, head) = try await scan(scope, filter, from: place, limit, withEvidence: false)
        var events: [RecordedEvent] = []
        let next = try await scan.run(from: place) { event, _ in
            events.append(event)
            return true
        }
        return (events, next, head)
    }

    /// A page of the log as JSON: `{"events":[…],"next":…,"position":…}`; `position` is the end of
    /// the log. At most `byteCount` bytes of events.
    public func events(
        _ scope: QueryScope, _ filter: EventFilter = EventFilter(), from place: EventPlace,
        limit: Int, withEvidence: Bool, byteCount: Int = LedgerHost.maximumPageByteCount
    ) async throws -> ServedAnswer {
        let ledger = try ledger(scope.environment)
        let (scan, head) = try await scan(
            scope, filter, from: place, limit, withEvidence: withEvidence)
        var lines = EventLines(scope.environment, byteCount: byteCount)
        let next = try await scan.run(from: place) { event, evidence in
            lines.add(event, evidence: evidence)
        }
        let position = ledger.projectedPosition ?? 0
        return lines.page(
            next: next, end: head, position: position, lag: ledger.lag(after: position))
    }

    private func scan(
        _ scope: QueryScope, _ filter: EventFilter, from place: EventPlace, _ limit: Int,
        withEvidence: Bool
    ) async throws -> (EventScan, head: Int64) {
        let log = try ledger(scope.environment).ledger.log
        let head = try await log.head().position
        if case .after(let position) = place, position > head {
            throw ServingError.cursorBeyondLog(head: head)
        }
        var filter = filter
        if let bundleId = scope.bundleId { filter.bundleId = bundleId }
        let scan = EventScan(
            log, filter, head: head, limit: min(max(limit, 1), LedgerHost.maximumPageCount),
            withEvidence: withEvidence)
        return (scan, head)
    }

    /// One event with its evidence and its proof; nil where the log has none at the position, or
    /// one of another app than that of the scope. An event of no app, such as a grant, is found
    /// whatever app the scope names, since answers about every app cite it.
    ///
    /// - `withProof`: the first proof after a start reads every leaf hash of the log.
    public func event(
        at position: Int64, _ scope: QueryScope, withProof: Bool = true
    ) async throws -> EventDetail? {
        let ledger = try ledger(scope.environment)
        guard let logged = try await ledger.ledger.log.event(at: position) else { return nil }
        let app = logged.event.attributes.bundleId
        guard scope.bundleId == nil || app == scope.bundleId || app.rawValue.isEmpty else {
            return nil
        }
        let proof = withProof ? try await ledger.proofs.proof(of: logged.event) : nil
        let head = try await ledger.ledger.log.head().position
        return EventDetail(
            logged, in: scope.environment, proof: proof, head: proof?.treeSize ?? head)
    }

    /// The chains that an event is about, and of each the states and facts that it decided, as
    /// known now and begun by now; then the changes that churn counts. Without changes while no
    /// answer includes the event yet.
    ///
    /// - `limit`: of the chains returned, and of the states and facts of all.
    public func decided(
        by event: RecordedEvent, _ scope: QueryScope, limit: Int
    ) async throws -> [(chain: ChainId, changes: [DecidedChange])] {
        let ledger = try ledger(scope.environment)
        // Evidence that cannot be read names no chain; an erasure names those that were erased.
        let chains =
            event.attributes.kind == .erasure
            ? [] : (try? await ledger.ledger.chains(of: event)) ?? []
        var decided: [(chain: ChainId, changes: [DecidedChange])] = []
        var room = limit
        for chain in chains.prefix(limit) {
            let changes =
                room > 0 ? try await changes(of: chain, by: event, ledger, limit: room) : []
            decided.append((chain, changes))
            room -= changes.count
        }
        return decided
    }

    /// Folds the chain only where a state began.
    private func changes(
        of chain: ChainId, by event: RecordedEvent, _ ledger: ServedLedger, limit: Int
    ) async throws -> [DecidedChange] {
        guard let projected = ledger.projectedPosition, event.position <= projected else {
            return []
        }
        let (snapshot, now) = (try await ledger.snapshot(), clock())
        let changes = try await snapshot.projections.decided(
            by: event.position, of: chain, through: now, limit: limit)
        let hasState = changes.contains { if case .state = $0.kind { true } else { false } }
        guard hasState else { return changes }
        let facts = try await snapshot.facts.facts(of: [chain]).flatMap { $0.1 }
        let metrics = ChainMetrics(
            ledger.ledger.life(of: facts.filter { $0.position <= snapshot.position }),
            of: chain.bundleId, catalogue: ledger.ledger.catalogue)
        return changes + metrics.counted(by: event.position, before: now)
    }
}
