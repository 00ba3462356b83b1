internal import AppStore
internal import GRDB
public import Ledger
public import LedgerStore
internal import Migrations

/// The chains of a projections file, read back as the rows they were written from, in chain order,
/// for comparison. Also reads files of other releases, if they have the columns.
public final class StoredChains: Sendable {
    private let path: String
    private let queue: DatabaseQueue

    /// Chains per page.
    static let pageChainCount = 1_000

    /// Opens the file for reading. Blocks: first sorts the rows kept by transactionId and by
    /// customer into chain order, in temporary tables.
    ///
    /// Throws `noSuchFile`, `fileChanged` when the file lacks a column, or the error SQLite
    /// reported.
    public init(path: String) throws(StoreError) {
        self.path = path
        let configuration = Configuration(
            readOnly: true, busyTimeoutSeconds: DerivedFile.busyTimeoutSeconds,
            pragmas: ["temp_store = FILE", "cache_size = -16384"])
        do {
            queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.inDatabase { database in
                try StoredChains.sort(ChainRows.TransactionRow.self, database)
                try StoredChains.sort(ChainRows.OrderLineRow.self, database)
                try database.execute(
                    sql: """
                        CREATE TEMP TABLE held (
                            subscription INTEGER NOT NULL, customer TEXT NOT NULL,
                            PRIMARY KEY (subscription, customer)) WITHOUT ROWID;
                        INSERT INTO held SELECT subscription, customer FROM holdings
                        ORDER BY subscription, customer
                        """)
            }
        } catch {
            throw StoredChains.explained(StoreError(error, path: path), path)
        }
    }

    private static func sort<Row: StatedIdRow>(_ row: Row.Type, _ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TEMP TABLE stated_\(Row.table) (
                    subscription INTEGER NOT NULL, id TEXT NOT NULL,
                    first_position INTEGER NOT NULL,
                    PRIMARY KEY (subscription, id)) WITHOUT ROWID;
                INSERT INTO stated_\(Row.table)
                SELECT subscription, \(Row.columns[0]), first_position
                FROM \(Row.table) ORDER BY subscription, \(Row.columns[0])
                """)
    }

    private static func explained(_ error: StoreError, _ path: String) -> StoreError {
        guard error.code == .databaseFailure else { return error.ofDerivedFile(path) }
        return StoreError(
            .fileChanged, path: path,
            reason: "The file was created by a release with other columns. \(error.reason)",
            remedy: "Its answers cannot be compared row by row; run `subledger rebuild`.")
    }

    public func close() { try? queue.close() }

    /// Defects of the file apart from the rows of its chains: tables with rows of no chain, and
    /// `schema` when tables or views differ from this release's. Blocks.
    public func findings() throws(StoreError) -> [String] {
        do {
            return try queue.inDatabase { database in
                var findings: [String] = []
                for table in [
                    "intervals", "life_facts", "notices", "transactions", "order_lines",
                    "holdings", "contributions", "pending_movements",
                ]
                where try database.hasRow(
                    """
                    SELECT 1 FROM \(table)
                    WHERE subscription NOT IN (SELECT id FROM subscriptions) LIMIT 1
                    """)
                {
                    findings.append(table)
                }
                let expected = try SchemaObjects.made {
                    try $0.execute(sql: DerivedSchema.projections)
                }
                if try SchemaObjects.all(database) != expected { findings.append("schema") }
                return findings
            }
        } catch {
            throw StoredChains.explained(StoreError(error, path: path), path)
        }
    }

    /// The next chains after `after` (nil: from the first); none at the end.
    public func page(after: ChainId?) async throws(StoreError) -> [ChainRows] {
        do throws(StoreError) {
            return try await queue.access(path) { database in
                try ChainRowReader(database: database).page(
                    after: after, limit: StoredChains.pageChainCount)
            }
        } catch { throw StoredChains.explained(error, path) }
    }
}

private struct ChainRowReader {
    let database: Database

    func page(after: ChainId?, limit: Int) throws -> [ChainRows] {
        // The empty text is an id too, and sorts first.
        let isNext = after == nil ? ">=" : ">"
        let last = Int32(SubscriptionRow.columns.count)
        let heads = try database.rows(
            """
            SELECT \(SubscriptionRow.columns.joined(separator: ", ")),
                id, bundle_id, original_transaction_id
            FROM subscriptions WHERE (original_transaction_id, bundle_id) \(isNext) (?, ?)
            ORDER BY original_transaction_id, bundle_id LIMIT ?
            """, after?.originalTransactionId.rawValue ?? "", after?.bundleId.rawValue ?? "", limit
        ) { (id: $0.int64(last), chain: $0.chainId(last + 1), row: SubscriptionRow($0)) }
        return try heads.map { head in
            var misplaced: [String] = []
            return ChainRows(
                chain: head.chain, subscription: head.row,
                intervals: try rows(head.id, &misplaced),
                timelineEvents: try rows(head.id, &misplaced),
                notices: try rows(head.id, &misplaced),
                transactions: try stated(head.id), orderLines: try stated(head.id),
                holdings: try HoldingRow.rows(head.id, database),
                contribution: try contribution(head.id), misplaced: misplaced)
        }
    }

    private func contribution(_ subscription: Int64) throws -> ContributionRow? {
        try database.rows(ContributionRow.select, subscription) { ContributionRow($0) }.first
    }

    private func rows<Row: ProjectionRow>(
        _ subscription: Int64, _ misplaced: inout [String]
    ) throws -> [Row] {
        let select = try PreparedStatement(
            database,
            """
            SELECT \(Row.columns.joined(separator: ", ")), seq FROM \(Row.table)
            WHERE subscription = ? ORDER BY seq
            """)
        select.bind(1, subscription)
        var rows: [Row] = []
        while try select.step() {
            // After a gap no row is in its place, which reading the rows in order alone would not
            // detect.
            guard select.int64(Int32(Row.columns.count)) == Int64(rows.count) else {
                misplaced.append(Row.table)
                break
            }
            rows.append(Row(select))
        }
        select.reset()
        return rows
    }

    private func stated<Row: StatedIdRow>(_ subscription: Int64) throws -> [Row] {
        try database.rows(
            """
            SELECT id, first_position FROM stated_\(Row.table) WHERE subscription = ? ORDER BY 1
            """, subscription
        ) { Row(id: $0.requiredText(0), firstPosition: $0.int64(1)) }
    }
}
