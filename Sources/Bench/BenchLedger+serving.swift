import AppStore
public import Intake
public import Ledger
internal import LedgerStore
internal import Projection
internal import SQLiteStore

extension BenchLedger {
    /// Appends all events of the lives, then derives facts and projections in bulk: a ledger for
    /// queries. Returns its configuration, the number of chains, and everyone who ever held one.
    ///
    /// - `report`: takes lines of progress.
    public func fill(
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> (
        configuration: Configuration, chainCount: Int, customers: [CustomerId]
    ) {
        let ledger = try await open()
        _ = try await write(to: ledger) { report("append: \($0) of about \(lives.eventCount)") }
        let session = try await LedgerSession.open(ledger) { report($0.text) }
        let count = try await session.projections.subscriptionCount()
        let customers = try await session.projections.customers()
        await session.close()
        return (configuration, count, customers)
    }

    /// The id of any chain of the filled ledger.
    public func someChain(_ number: Int) -> String { lives.someChain(number).rawValue }

    /// Rows per second that SQLite inserts durably one at a time, each about the size of an event.
    public static func bareSingleInserts(folder: String) async throws -> Double {
        try await Blocking.run {
            try BareStorage.inserts(
                directory: folder, count: bareInsertCount, batchCount: 1, rowByteCount: 300,
                bodyByteCount: 1_200)
        }
    }

    private static let bareInsertCount = 2_000
}
