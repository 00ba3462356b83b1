public import Queries

extension LedgerHost {
    /// Finds customers, chains, transactions and events by id, in what is known now; the scope's
    /// time and knowledge are ignored.
    ///
    /// Throws `SearchError`, `StoreError` or `ServingError`.
    public func search(_ text: String, _ scope: QueryScope) async throws -> SearchAnswer {
        try await ledger(scope.environment).snapshot(atLeast: scope.minPosition)
            .search(text, bundleId: scope.bundleId)
    }
}
