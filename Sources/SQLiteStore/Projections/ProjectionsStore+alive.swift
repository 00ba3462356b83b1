public import AppStore
internal import GRDB
public import LedgerStore

extension ProjectionsStore {
    /// The number of chains of an app that had a state at some time in `[from, before)`.
    public func chainCount(
        of bundleId: BundleId, aliveFrom from: Timestamp, before: Timestamp
    ) async throws(StoreError) -> Int64 {
        try await read { database in
            let select = try PreparedStatement(
                database,
                """
                SELECT count(*) FROM subscriptions AS s WHERE s.bundle_id = ? AND EXISTS (
                    SELECT 1 FROM intervals AS i WHERE i.subscription = s.id AND i.from_at < ?
                        AND (i.to_at IS NULL OR i.to_at > ?))
                """)
            select.bind(1, bundleId.rawValue)
            select.bind(2, before.milliseconds)
            select.bind(3, from.milliseconds)
            defer { select.reset() }
            return try select.step() ? select.int64(0) : 0
        }
    }
}
