public import AppStore
import Ledger
internal import LedgerStore
internal import Projection
public import Queries

extension LedgerHost {
    /// `metrics retention-offers`, of what is known now.
    ///
    /// Throws `QueryError` (`invalidRange`), `StoreError` or `ServingError`.
    ///
    /// - Parameters:
    ///   - from: answered from then on.
    ///   - to: answered before then; nil: now.
    ///   - scope: its time and knowledge are ignored.
    public func retentionOffers(
        from: Timestamp, to: Timestamp?, _ scope: QueryScope
    ) async throws -> ServedAnswer {
        let ledger = try ledger(scope.environment)
        var offers = try await retentionOffersReport(from: from, to: to, scope)
        offers.endsNow = to == nil
        return ledger.answer(offers, at: offers.position)
    }

    /// The same as a value.
    public func retentionOffersReport(
        from: Timestamp, to: Timestamp?, _ scope: QueryScope
    ) async throws -> RetentionOffers {
        var known = scope
        known.knowledge = .everything
        // As every report: one at a time, since it may fold a chain for each of a million answers.
        return try await computed(known) { snapshot in
            let now = clock()
            return try await snapshot.retentionOffers(
                from: from, to: to ?? now, now: now, bundleId: scope.bundleId)
        }
    }
}
