public import AppStore
internal import GRDB
public import LedgerStore

extension ProjectionsStore {
    /// The number of chains of an app that had a state at some time in `[from, before)`.
    public func chainCount(
        of bundleId: BundleId, aliveFrom from: Timestamp, before: Timestamp
    ) async throws(StoreError) -> Int64 {
        try await read { database in
            try database.rows(
                """
                SELECT count(*) FROM subscriptions AS s WHERE s.bundle_id = ? AND EXISTS (
                    SELECT 1 FROM intervals AS i WHERE i.subscription = s.id AND i.from_at < ?
                        AND (i.to_at IS NULL OR i.to_at > ?))
                """, bundleId, before, from
            ) { $0.int64(0) }.first ?? 0
        }
    }
}
