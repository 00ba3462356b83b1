internal import Projection
public import Queries

/// A query without an answer in one state; a later state may have one.
public struct MissingAnswer: Error {
    public let error: QueryError
    /// The position that the state includes.
    public let position: Int64
    /// Positions of the log beyond it.
    public let lag: Int64
}

extension ServedLedger {
    /// One chain by its originalTransactionId or any of its transactionIds, as in
    /// `ChainQuery.reading`, and the state it was read from.
    ///
    /// Throws `QueryError` or `ServingError`; for an unknown id, `MissingAnswer` with the state
    /// that was searched.
    func reading(
        _ id: String, _ scope: QueryScope, moment: Moment
    ) async throws -> (ChainReading, LedgerSnapshot) {
        let snapshot = try await snapshot(for: scope)
        do throws(QueryError) {
            let reading = try await snapshot.query.reading(
                id, bundleId: scope.bundleId, moment: moment)
            return (reading, snapshot)
        } catch {
            switch error {
            case .noSuchSubscription, .unknownThen, .stateless:
                throw MissingAnswer(
                    error: error, position: snapshot.position, lag: lag.positions)
            case .ambiguousId, .invalidRange, .store: throw error
            }
        }
    }
}
