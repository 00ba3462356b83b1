internal import LedgerStore
internal import Projection
internal import SQLiteStore

/// The rows of one customer, and the state they were read from.
struct FoundCustomer: Sendable {
    /// Nil before the first state is published.
    let snapshot: LedgerSnapshot?
    let result: Result<ProjectionsStore.CustomerRecord, StoreError>
    /// The answer last encoded from these rows.
    let prepared = PreparedSlot()

    /// Rows held by this value; at least one.
    var holdingCount: Int {
        guard case .success(let record) = result else { return 1 }
        return 1 + record.holdings.count + record.grants.count
    }

    /// Reads many customers at once.
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
