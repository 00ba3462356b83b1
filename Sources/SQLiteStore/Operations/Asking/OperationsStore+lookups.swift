internal import AppStore
internal import GRDB
public import Ledger
public import LedgerStore

/// Chains that were looked up because of their notices.
extension OperationsStore {
    /// Every chain that was looked up and still had notices.
    public func lookups() async throws(StoreError) -> [ChainId: ChainLookup] {
        try await read { database in
            let select = try PreparedStatement(
                database, "SELECT bundle_id, chain, asked_at, times, notices FROM lookups")
            var found: [ChainId: ChainLookup] = [:]
            while try select.step() {
                let chain = ChainId(
                    bundleId: BundleId(select.text(0) ?? ""),
                    originalTransactionId: OriginalTransactionId(select.text(1) ?? ""))
                found[chain] = ChainLookup(
                    askedAt: Timestamp(milliseconds: select.int64(2)),
                    times: Int(select.int64(3)),
                    notices: (select.text(4) ?? "").split(separator: " ").map(String.init))
            }
            return found
        }
    }

    /// Stores when a chain was looked up; nil removes the entry, when no notices are left.
    public func keep(
        _ lookup: ChainLookup?, of chain: ChainId
    ) async throws(StoreError) {
        try await write { database in
            let sql =
                lookup == nil
                ? "DELETE FROM lookups WHERE bundle_id = ? AND chain = ?"
                : """
                INSERT OR REPLACE INTO lookups (bundle_id, chain, asked_at, times, notices)
                VALUES (?, ?, ?, ?, ?)
                """
            let write = try PreparedStatement(database, sql)
            write.bind(1, chain.bundleId.rawValue)
            write.bind(2, chain.originalTransactionId.rawValue)
            if let lookup {
                write.bind(3, lookup.askedAt.milliseconds)
                write.bind(4, Int64(lookup.times))
                write.bind(5, lookup.notices.joined(separator: " "))
            }
            try write.runInsert()
        }
    }
}
