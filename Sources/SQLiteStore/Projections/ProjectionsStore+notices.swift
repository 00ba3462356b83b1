public import AppStore
internal import GRDB
public import Ledger
public import LedgerStore

extension ProjectionsStore {
    /// The notices of these codes that are open at a moment, among the next `dueScanChainCount`
    /// chains, and where to continue; nil at the end. Start at 0. Scans rows in short pieces and
    /// runs rarely, so there is no index for it.
    public func openNotices(
        _ codes: [NoticeCode], at moment: Timestamp, after cursor: Int64
    ) async throws(StoreError) -> (notices: [OpenNotice], next: Int64)? {
        try await read { database in
            let newest = try Int64.fetchOne(database, sql: "SELECT max(id) FROM subscriptions")
            guard let newest, cursor < newest else { return nil }
            let end = cursor + ProjectionsStore.dueScanChainCount
            let select = try PreparedStatement(
                database,
                """
                SELECT s.original_transaction_id, s.bundle_id, n.code, n.from_at,
                    s.price_milliunits, s.currency, s.ownership,
                    (SELECT max(coalesce(i.to_at, 9223372036854775807)) FROM intervals AS i
                        WHERE i.subscription = s.id AND i.from_at <= ?3
                            AND i.state IN ('subscribed', 'renewing', 'grace', 'owned'))
                FROM notices AS n JOIN subscriptions AS s ON s.id = n.subscription
                WHERE n.subscription > ?1 AND n.subscription <= ?2 AND n.from_at <= ?3
                    AND (n.to_at IS NULL OR n.to_at > ?3) AND s.bundle_id <> ''
                ORDER BY n.subscription, n.seq
                """)
            select.bind(1, cursor)
            select.bind(2, end)
            select.bind(3, moment.milliseconds)
            var found: [OpenNotice] = []
            while try select.step() {
                guard let code = NoticeCode(rawValue: select.text(2) ?? ""), codes.contains(code)
                else { continue }
                found.append(ProjectionsStore.notice(select, code))
            }
            return (found, end)
        }
    }

    /// Notices that no chain can derive alone, and that are therefore not stored: a transactionId
    /// under two chains of one app (`lifecycle.md` §4, the third kind of contradiction). One for
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
            let select = try PreparedStatement(
                database,
                """
                SELECT s.original_transaction_id, s.bundle_id, NULL,
                    (SELECT min(i.from_at) FROM intervals AS i WHERE i.subscription = s.id),
                    s.price_milliunits, s.currency, s.ownership,
                    (SELECT max(coalesce(i.to_at, 9223372036854775807)) FROM intervals AS i
                        WHERE i.subscription = s.id AND i.from_at <= ?3
                            AND i.state IN ('subscribed', 'renewing', 'grace', 'owned')),
                    s.id
                FROM subscriptions AS s
                WHERE s.original_transaction_id = ?1 AND s.bundle_id = ?2
                    AND EXISTS (SELECT 1 FROM intervals AS i
                        WHERE i.subscription = s.id AND i.from_at <= ?3)
                """)
            defer { select.reset() }
            var found: [(id: Int64, notice: OpenNotice)] = []
            for chain in ordered {
                select.bind(1, chain.originalTransactionId.rawValue)
                select.bind(2, chain.bundleId.rawValue)
                select.bind(3, moment.milliseconds)
                while try select.step() {
                    found.append(
                        (select.int64(8), ProjectionsStore.notice(select, .contradiction)))
                }
            }
            return found.sorted { $0.id < $1.id }.map(\.notice)
        }
    }

    private static func notice(_ select: PreparedStatement, _ code: NoticeCode) -> OpenNotice {
        let price = select.optionalInt64(4).flatMap { milliunits in
            select.text(5).map { Money(milliunits: milliunits, currency: $0) }
        }
        return OpenNotice(
            chain: ChainId(
                bundleId: BundleId(select.text(1) ?? ""),
                originalTransactionId: OriginalTransactionId(select.text(0) ?? "")),
            code: code, from: Timestamp(milliseconds: select.int64(3)), price: price,
            ownership: select.text(6),
            accessUntil: select.optionalInt64(7).map { Timestamp(milliseconds: $0) })
    }
}
