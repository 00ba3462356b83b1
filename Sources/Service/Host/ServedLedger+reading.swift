import AppStore
import Ledger
internal import LedgerStore
internal import Projection
internal import Queries
internal import SQLiteStore

extension ServedLedger {
    /// One chain by its originalTransactionId or any of its transactionIds, as in
    /// `ChainQuery.reading`, and the state it was read from.
    ///
    /// Throws `QueryError` or `ServingError`; for an unknown id, `AnswerFailure` with the state
    /// that was searched.
    func reading(
        _ id: String, _ scope: QueryScope, moment: Moment
    ) async throws -> (ChainReading, LedgerSnapshot) {
        let present = try await snapshot(for: scope)
        let found = await found(id, present)
        guard let snapshot = found.snapshot else {
            throw ServingError.projectionBehind(position: 0)
        }
        let chains: [FoundChains.Chain]
        do throws(StoreError) { chains = try found.result.get() } catch {
            throw QueryError.store(error)
        }
        var readings: [ChainReading] = []
        for chain in chains where scope.bundleId == nil || chain.id.bundleId == scope.bundleId {
            let reading = ChainReading(
                chain: chain.id, facts: chain.facts,
                shared: try await admitted(chain.shared, moment, snapshot), moment: moment,
                head: snapshot.position, ledger: ledger)
            if let reading, reading.isNamed(id) { readings.append(reading) }
        }
        guard readings.count <= 1 else {
            throw QueryError.ambiguousId(id, readings.map(\.chain))
        }
        guard let reading = readings.first else {
            let why = chains.lazy.filter {
                scope.bundleId == nil || $0.id.bundleId == scope.bundleId
            }.compactMap { chain in
                ChainReading.whyNothing(
                    by: id, chain.facts, moment, head: snapshot.position, self.ledger)
            }.first
            throw AnswerFailure(
                why ?? .noSuchSubscription(id), position: snapshot.position, lag: lag.positions)
        }
        return (reading.asked(by: id), snapshot)
    }

    /// The chains of an id: immediately when cached for this state, else read off the caller's
    /// event loop, batched with concurrent queries.
    private func found(_ id: String, _ present: LedgerSnapshot) async -> FoundChains {
        if let hot = hotChains.value(id, of: present) { return hot }
        let found = await withTaskExecutorPreference(globalConcurrentExecutor) {
            await chains.value(id)
        }
        if let snapshot = found.snapshot, case .success(let chains) = found.result,
            !chains.isEmpty
        {
            hotChains.keep(found, for: id, of: snapshot)
        }
        return found
    }

    /// Limited to what was known.
    private func admitted(
        _ shared: [SharedTransaction], _ moment: Moment, _ snapshot: LedgerSnapshot
    ) async throws -> [SharedTransaction] {
        guard !shared.isEmpty else { return [] }
        var known = shared
        if case .knownPosition(let position) = moment.knowledge {
            known.removeAll { $0.firstPosition > position }
        }
        return try await snapshot.query.admitted(known, moment.knowledge)
    }
}
