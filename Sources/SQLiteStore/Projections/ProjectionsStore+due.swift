public import AppStore
internal import GRDB
public import Ledger
public import LedgerStore

extension ProjectionsStore {
    /// Chains scanned in one read.
    public static let dueScanChainCount: Int64 = 20_000

    /// The chains among the next `dueScanChainCount` whose states or facts change in `(from,
    /// through]`, and where to continue; nil at the end. There is no index by time, since every
    /// rebuild would pay for it: this scans all rows, in short pieces, and runs rarely.
    public func changing(
        from: Timestamp, through: Timestamp, after cursor: Int64
    ) async throws(StoreError) -> (chains: [ChainId], next: Int64)? {
        try await read { database in
            let newest = try Int64.fetchOne(database, sql: "SELECT max(id) FROM subscriptions")
            guard let newest, cursor < newest else { return nil }
            let end = cursor + ProjectionsStore.dueScanChainCount
            let chains = try database.rows(
                """
                SELECT s.bundle_id, s.original_transaction_id FROM (
                    SELECT subscription FROM intervals
                    WHERE subscription > ?1 AND subscription <= ?2 AND from_at > ?3
                        AND from_at <= ?4
                    UNION
                    SELECT subscription FROM life_facts
                    WHERE subscription > ?1 AND subscription <= ?2 AND at > ?3 AND at <= ?4
                ) AS due JOIN subscriptions AS s ON s.id = due.subscription
                ORDER BY s.id
                """, cursor, end, from, through
            ) { $0.chainId(0) }
            return (chains, end)
        }
    }
}
