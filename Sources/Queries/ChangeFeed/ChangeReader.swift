internal import AppStore
public import Ledger
public import LedgerStore
public import Projection
internal import SQLiteStore
import Signing

/// Reads the changes of an environment in order, from any cursor, repeatably: they are computed
/// from the facts and never stored.
public struct ChangeReader: Sendable {
    let ledger: EnvironmentLedger

    public init(ledger: EnvironmentLedger) { self.ledger = ledger }

    /// The next changes after `cursor`, at positions up to `through`, which the facts must hold.
    public func page(
        after cursor: ChangePlace, through: Int64
    ) async throws(StoreError) -> ChangePage {
        // A cursor between the changes of one event needs the rest of them.
        let isInside = cursor.clock == 0 && cursor.index != .max
        let events = try await ledger.log.events(
            after: isInside ? cursor.position - 1 : cursor.position, through: through,
            limit: FeedLimits.pageEventCount, damaged: .marked)
        let isFull = events.count == FeedLimits.pageEventCount
        let last = isFull ? events.last?.position ?? through : max(through, cursor.position)
        let readings = try await ledger.operations.clockReadings(
            after: cursor, through: last, limit: FeedLimits.pageReadingCount)
        var page = ChangePage(next: cursor, isEnd: last >= through)
        if readings.count == FeedLimits.pageReadingCount, let newest = readings.last {
            page.next = newest.reading.place
            page.isEnd = false
        } else if last < through {
            page.next = .end(of: last)
        } else {
            // Readings may still follow here; the last known one may be before the last event.
            page.next = max(
                cursor, .afterEvent(at: last), readings.last?.reading.place ?? .beginning)
        }
        var chains = Set(readings.map(\.chain))
        for event in events where event.position <= page.next.position {
            chains.formUnion(try await ledger.chains(of: event))
        }
        let end = page.next
        let streams = try await streams(of: chains.sorted(), through: end.position) {
            cursor < $0 && $0 <= end
        }
        for (_, stream) in streams {
            page.changes += stream.changes.map { change($0, stream) }
        }
        page.changes.sort { ($0.place, $0.change.chain) < ($1.place, $1.change.chain) }
        return page
    }

    private func change(_ change: Change, _ stream: ChangeStream) -> FeedChange {
        FeedChange(
            change: change, environment: ledger.environment, catalogueHash: ledger.catalogueHash,
            stream: stream)
    }

    /// The changes at these places of one chain, as emitted before.
    package func changes(
        of chain: ChainId, at places: Set<ChangePlace>
    ) async throws(StoreError) -> [FeedChange] {
        guard let end = places.max() else { return [] }
        let streams = try await streams(of: [chain], through: end.position) { places.contains($0) }
        return streams.flatMap { _, stream in stream.changes.map { change($0, stream) } }
    }

    /// Facts beyond which a chain is folded off the threads that answer requests: it is folded once
    /// for each fact. One page of an environment at a time, since reports need these threads, too.
    static let longChainFactCount = 100
    private static let longChains = AsyncLock()

    /// The streams of chains as known at a position, including the reading `extra`.
    ///
    /// - Parameter isWanted: whether the change at a place is needed in full.
    func streams(
        of chains: [ChainId], through position: Int64, extra: ClockReading? = nil,
        isWanted: @escaping @Sendable (ChangePlace) -> Bool = { _ in false }
    ) async throws(StoreError) -> [(ChainId, ChangeStream)] {
        let rules = rules
        let readings = try await ledger.operations.clockReadings(of: chains)
        let facts = try await facts(of: chains, through: position)
        @Sendable func stream(_ chain: ChainId, _ facts: [Fact]) -> (ChainId, ChangeStream) {
            let stream = ChangeStream(
                chain, facts: facts,
                readings: (readings[chain] ?? []) + (extra.map { [$0] } ?? []), rules: rules,
                isWanted: isWanted, isCancelled: { Task.isCancelled })
            return (chain, stream)
        }
        let long = facts.filter { $0.1.count > ChangeReader.longChainFactCount }
        let others = facts.filter { $0.1.count <= ChangeReader.longChainFactCount }
        var found = await Parallel.map(others) { stream($0, $1) }
        if !long.isEmpty {
            found += await ChangeReader.longChains.pass(ledger.directory) {
                await withTaskExecutorPreference(ComputingExecutor.shared) {
                    long.map { stream($0, $1) }
                }
            }
        }
        guard !Task.isCancelled else {
            throw StoreError(
                .closed, path: ledger.facts.path, reason: "The changes were cancelled.",
                remedy: "Ask for them again.")
        }
        return found.sorted { $0.0 < $1.0 }
    }

    /// When the clock next changes each of the chains, or already did without being emitted, as
    /// known at a position.
    func dues(
        of chains: [ChainId], through position: Int64
    ) async throws(StoreError) -> [(at: Timestamp, chain: ChainId)] {
        let rules = rules
        let readings = try await ledger.operations.clockReadings(of: chains)
        let facts = try await facts(of: chains, through: position)
        return await Parallel.map(facts) { chain, facts in
            ChangeStream.nextDue(facts, readings: readings[chain] ?? [], rules: rules)
                .map { (at: $0, chain: chain) }
        }.compactMap { $0 }
    }

    /// The facts of chains up to a position. Throws when the facts do not reach it: facts that are
    /// being rebuilt must not look like unchanged chains.
    private func facts(
        of chains: [ChainId], through position: Int64
    ) async throws(StoreError) -> [(ChainId, [Fact])] {
        guard !chains.isEmpty else { return [] }
        // Receivers never see the random ids of erasures.
        let chains = chains.filter { !$0.isPseudonym }
        let store = ledger.facts
        guard try await store.checkpoint().position >= position else {
            throw StoreError(
                .fileLocked, path: store.path,
                reason: "The facts do not reach position \(position) yet.",
                remedy: "Wait until they are rebuilt; no change is lost.")
        }
        return try await store.facts(of: chains).map { chain, facts in
            (chain, facts.filter { $0.position <= position })
        }
    }

    private var rules: ChangeStream.Rules {
        ChangeStream.Rules(environment: ledger.environment, catalogue: ledger.catalogue) {
            SHA256.hash($0)
        }
    }
}

extension ClockReading {
    /// The end of the changes of one chain at this reading.
    var place: ChangePlace {
        ChangePlace(
            position: position, clock: at.milliseconds, ordinal: ordinal, index: .max)
    }
}
