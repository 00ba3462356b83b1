internal import LedgerStore
internal import Projection
internal import SQLiteStore

/// What was read about one customer, and in which state.
struct FoundCustomer: Sendable {
    /// Nil before any answer is possible.
    let snapshot: LedgerSnapshot?
    let result: Result<ProjectionsStore.CustomerRecord, StoreError>
    /// What was answered from it.
    let prepared = PreparedSlot()

    /// Rows held by this; one at least.
    var holdingCount: Int {
        guard case .success(let record) = result else { return 1 }
        return 1 + record.holdings.count + record.grants.count
    }

    /// Reads about many at once.
    static func find(
        _ asked: [ProjectionsStore.AskedCustomer], _ snapshot: LedgerSnapshot?
    ) async -> [FoundCustomer] {
        guard let snapshot else {
            return asked.map { _ in
                FoundCustomer(snapshot: nil, result: .success(.init()))
            }
        }
        do throws(StoreError) {
            return try await snapshot.projections.customers(asked).map {
                FoundCustomer(snapshot: snapshot, result: .success($0))
            }
        } catch {
            return asked.map { _ in FoundCustomer(snapshot: snapshot, result: .failure(error)) }
        }
    }
}
