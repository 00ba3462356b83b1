import AppStore
public import Intake
public import Ledger
internal import LedgerStore
internal import Projection
internal import SQLiteStore

extension BenchLedger {
    /// Appends and projects all events of the lives: a ledger for queries. Returns its
    /// configuration, the number of chains, and everyone who ever held one.
    public func fill() async throws -> (
        configuration: Configuration, chainCount: Int, customers: [CustomerId]
    ) {
        let ledger = try await open()
        while let stretch = lives.nextEvents() {
            for piece in EventBatches(stretch.events) {
                _ = try await ledger.log.append(Array(piece))
            }
        }
        let session = try await LedgerSession.open(ledger)
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
