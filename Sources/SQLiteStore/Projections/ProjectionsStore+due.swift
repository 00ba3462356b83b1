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
        try await scan(
            after: cursor,
            """
            SELECT s.bundle_id, s.original_transaction_id FROM (
                SELECT subscription FROM intervals
                WHERE subscription > ?1 AND subscription <= ?2 AND from_at > ?3 AND from_at <= ?4
                UNION
                SELECT subscription FROM life_facts
                WHERE subscription > ?1 AND subscription <= ?2 AND at > ?3 AND at <= ?4
            ) AS due JOIN subscriptions AS s ON s.id = due.subscription
            ORDER BY s.id
            """, from, through
        ) { $0.chainId(0) }
    }

    /// The notices of these codes that are open at a moment, among the next `dueScanChainCount`
    /// chains, and where to continue; nil at the end. Start at 0. Scans rows in short pieces and
    /// runs rarely, so there is no index for it.
    public func openNotices(
        _ codes: [NoticeCode], at moment: Timestamp, after cursor: Int64
    ) async throws(StoreError) -> (notices: [OpenNotice], next: Int64)? {
        try await scan(
            after: cursor,
            """
            SELECT s.bundle_id, s.original_transaction_id, n.code, n.from_at,
                \(ProjectionsStore.noticeValueColumns)
            FROM notices AS n JOIN subscriptions AS s ON s.id = n.subscription
            WHERE n.subscription > ?1 AND n.subscription <= ?2 AND n.from_at <= ?3
                AND (n.to_at IS NULL OR n.to_at > ?3) AND s.bundle_id <> ''
            ORDER BY n.subscription, n.seq
            """, moment
        ) { row in
            guard let code = NoticeCode(rawValue: row.requiredText(2)), codes.contains(code)
            else { return nil }
            return ProjectionsStore.notice(row, code)
        }
    }

    /// What a query states of the next `dueScanChainCount` chains, and where to continue; nil at
    /// the end.
    ///
    /// - Parameters:
    ///   - sql: its first two parameters are the numbers after and up to which chains are scanned.
    ///   - values: the other parameters.
    private func scan<Value: Sendable>(
        after cursor: Int64, _ sql: String, _ values: Timestamp...,
        read: @escaping @Sendable (PreparedStatement) throws -> Value?
    ) async throws(StoreError) -> ([Value], next: Int64)? {
        try await self.read { database in
            let newest = try Int64.fetchOne(database, sql: "SELECT max(id) FROM subscriptions")
            guard let newest, cursor < newest else { return nil }
            let end = cursor + ProjectionsStore.dueScanChainCount
            return (try database.rows(sql, all: [cursor, end] + values, read: read), end)
        }
    }

    /// The value of the chain `s` at the moment `?3`, as `notice` reads it.
    private static let noticeValueColumns = """
        s.price_milliunits, s.currency, s.ownership,
            (SELECT max(coalesce(i.to_at, 9223372036854775807)) FROM intervals AS i
                WHERE i.subscription = s.id AND i.from_at <= ?3
                    AND i.state IN ('subscribed', 'renewing', 'grace', 'owned'))
        """

    /// Notices that no chain can derive alone, and that are therefore not stored: a transactionId
    /// under two chains of one app (`Lifecycle.md` §4, the third kind of contradiction). One for
    /// each of these chains that had begun by that moment, in the order of `openNotices`.
    public func sharedNotices(at moment: Timestamp) async throws(StoreError) -> [OpenNotice] {
        let shared = try await sharedTransactions()
        var chains: Set<ChainId> = []
        for (_, entries) in Dictionary(grouping: shared, by: \.transactionId) {
            for (_, ofApp) in Dictionary(grouping: entries, by: \.chain.bundleId)
            where ofApp.count > 1 {
                chains.formUnion(ofApp.map(\.chain))
            }
        }
        guard !chains.isEmpty else { return [] }
        let ordered = chains.sorted()
        return try await read { database in
            var found: [(id: Int64, notice: OpenNotice)] = []
            for chain in ordered {
                found += try database.rows(
                    """
                    SELECT s.bundle_id, s.original_transaction_id, NULL,
                        (SELECT min(i.from_at) FROM intervals AS i WHERE i.subscription = s.id),
                        \(ProjectionsStore.noticeValueColumns), s.id
                    FROM subscriptions AS s
                    WHERE s.original_transaction_id = ?1 AND s.bundle_id = ?2
                        AND EXISTS (SELECT 1 FROM intervals AS i
                            WHERE i.subscription = s.id AND i.from_at <= ?3)
                    """, chain.originalTransactionId, chain.bundleId, moment
                ) { (id: $0.int64(8), notice: ProjectionsStore.notice($0, .contradiction)) }
            }
            return found.sorted { $0.id < $1.id }.map(\.notice)
        }
    }

    private static func notice(_ row: PreparedStatement, _ code: NoticeCode) -> OpenNotice {
        let price = row.optionalInt64(4).flatMap { milliunits in
            row.text(5).map { Money(milliunits: milliunits, currency: $0) }
        }
        return OpenNotice(
            chain: row.chainId(0), code: code, from: row.time(3), price: price,
            ownership: row.text(6), accessUntil: row.optionalTime(7))
    }

    /// The number of chains of an app that had a state at some time in `[from, before)`.
    public func chainCount(
        of bundleId: BundleId, aliveFrom from: Timestamp, before: Timestamp
    ) async throws(StoreError) -> Int64 {
        try await rows(
            """
            SELECT count(*) FROM subscriptions AS s WHERE s.bundle_id = ? AND EXISTS (
                SELECT 1 FROM intervals AS i WHERE i.subscription = s.id AND i.from_at < ?
                    AND (i.to_at IS NULL OR i.to_at > ?))
            """, bundleId, before, from
        ) { $0.int64(0) }.first ?? 0
    }
}

/// A notice that is open at a moment, with the value of its chain.
public struct OpenNotice: Hashable, Sendable {
    public let chain: ChainId
    public let code: NoticeCode
    /// When it opened.
    public let from: Timestamp
    /// The last known price of the chain; nil when no transaction states one.
    public let price: Money?
    /// As Apple wrote it: `purchased`, `familyShared`, …
    public let ownership: String?
    /// End of the latest period of access that had begun at that moment; nil when there was none,
    /// and the end of time where it is unlimited.
    public let accessUntil: Timestamp?
}
