import AppStore
import Ledger
internal import LedgerStore
internal import Projection
internal import Queries

extension ServedLedger {
    /// One chain by its originalTransactionId or any of its transactionIds, as in
    /// `ChainQuery.reading`, and the state it was read from.
    ///
    /// Throws `QueryError` or `ServingError`; for an unknown id, `AnswerFailure` with the state
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
                throw AnswerFailure(error, position: snapshot.position, lag: lag.positions)
            case .ambiguousId, .store: throw error
            }
        }
    }
}
