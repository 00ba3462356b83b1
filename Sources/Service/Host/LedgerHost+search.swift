internal import LedgerStore
internal import Projection
public import Queries

extension LedgerHost {
    /// Finds customers, chains, transactions and events by id, in what is known now; the scope's
    /// time and knowledge are ignored.
    ///
    /// Throws `SearchError`, `StoreError` or `ServingError`.
    public func search(_ text: String, _ scope: QueryScope) async throws -> SearchAnswer {
        try await ledger(scope.environment).snapshot(atLeast: scope.minPosition).search
            .answer(text, bundleId: scope.bundleId)
    }

    /// `find` as JSON.
    public func searchAnswer(_ text: String, _ scope: QueryScope) async throws -> ServedAnswer {
        let ledger = try ledger(scope.environment)
        let answer = try await search(text, scope)
        return ServedAnswer(position: answer.position, lag: ledger.lag.positions) {
            answer.write(to: &$0)
        }
    }
}
