public import AppStore
internal import LedgerStore
internal import Projection
public import Queries

extension LedgerHost {
    /// `metrics retention-offers`, of what is known now; the scope's time and knowledge are
    /// ignored.
    ///
    /// Throws `StoreError` or `ServingError`.
    ///
    /// - Parameters:
    ///   - from: answered from then on.
    ///   - to: answered before then; nil: now.
    public func retentionOffers(
        from: Timestamp, to: Timestamp?, _ scope: QueryScope
    ) async throws -> ServedAnswer {
        let ledger = try ledger(scope.environment)
        let now = clock()
        let offers = try await ledger.snapshot(atLeast: scope.minPosition).query.retentionOffers(
            from: from, to: to ?? now, now: now, bundleId: scope.bundleId)
        return ServedAnswer(position: offers.position, lag: ledger.lag.positions) { json, _ in
            offers.write(to: &json)
        }
    }
}
