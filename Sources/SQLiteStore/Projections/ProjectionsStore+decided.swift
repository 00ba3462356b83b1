public import AppStore
public import Ledger
public import LedgerStore

extension ProjectionsStore {
    /// States and facts of a chain that this event decided, those that begin by `end`, in the order
    /// of time. Reads the rows of that chain only.
    ///
    /// - `limit`: of the changes returned.
    public func decided(
        by position: Int64, of chain: ChainId, through end: Timestamp, limit: Int
    ) async throws(StoreError) -> [DecidedChange] {
        try await rows(
            """
            WITH chain AS (
                SELECT id FROM subscriptions
                WHERE original_transaction_id = ?1 AND bundle_id = ?2)
            SELECT from_at AS at, state, NULL FROM intervals
            WHERE subscription = (SELECT id FROM chain) AND cause = ?3 AND from_at <= ?4
            UNION ALL
            SELECT at, NULL, fact FROM life_facts
            WHERE subscription = (SELECT id FROM chain) AND cause = ?3 AND at <= ?4
            ORDER BY at LIMIT ?5
            """, chain.originalTransactionId, chain.bundleId, position, end, limit
        ) { row -> DecidedChange? in
            let state = row.text(1).flatMap { ChainState(rawValue: $0) }
            let fact = row.text(2).flatMap { TimelineEventName(rawValue: $0) }
            if let state { return DecidedChange(.state(state), at: row.time(0)) }
            return fact.map { DecidedChange(.fact($0), at: row.time(0)) }
        }
    }
}
