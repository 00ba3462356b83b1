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
}
