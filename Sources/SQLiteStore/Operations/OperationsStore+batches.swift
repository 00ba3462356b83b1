internal import GRDB
public import LedgerStore
internal import Signing

extension OperationsStore {
    /// Quarantines many inputs in one transaction; results in the same order. See `quarantine(_:)`.
    public func quarantine(
        _ items: [NewQuarantineItem]
    ) async throws(StoreError) -> [QuarantineResult] {
        let keyed = items.map { ($0, SHA256.hash($0.bytes)) }
        return try await write { database in
            try keyed.map { try QuarantineWriter(database: database).add($0.0, $0.1) }
        }
    }

    /// The number of items.
    public func quarantineCount() async throws(StoreError) -> Int {
        try await read { try Int.fetchOne($0, sql: "SELECT count(*) FROM quarantine") ?? 0 }
    }
}
