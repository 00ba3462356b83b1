internal import AppStore
internal import GRDB
internal import Ledger

/// Brings stored rows to what they should be, touching only those that differ.
struct ChainRowWriter {
    let database: Database
    /// Up to where the stored rows hold the log.
    private let position: Int64
    var movements: MovementWriter
    /// Of all chains, for `finish`: these tables are in another order than chains are.
    private var transactions: [(row: ChainRows.TransactionRow, subscription: Int64)] = []
    private var holdings: [(row: HoldingRow, subscription: Int64)] = []

    init(_ database: Database, _ days: ReportDays, after position: Int64) {
        self.database = database
        self.position = position
        movements = MovementWriter(database, days)
    }

    /// The number of rows written or removed; what concerns all chains together follows with
    /// `finish`.
    mutating func write(_ rows: ChainRows) throws -> Int {
        var written = 0
        let subscription = try write(rows.chain, rows.subscription, &written)
        written += try write(rows.intervals, subscription)
        written += try write(rows.lifeFacts, subscription)
        written += try write(rows.notices, subscription)
        // What was stated up to there is stored: no later event states anything earlier.
        for row in rows.transactions where row.firstPosition > position {
            transactions.append((row, subscription))
        }
        holdings += rows.holdings.map { ($0, subscription) }
        if let contribution = rows.contribution {
            try movements.write(contribution, rows.told, subscription)
        }
        return written
    }

    /// Writes what is kept in another order than that of chains, and the sums that the chains are
    /// in; the number of rows. In the order of each table, so that its pages are met once.
    mutating func finish() throws -> Int {
        let written = try writeTransactions() + writeHoldings()
        return try written + movements.finish()
    }

    private func write(
        _ chain: ChainId, _ row: SubscriptionRow, _ written: inout Int
    ) throws -> Int64 {
        let columns = SubscriptionRow.columns
        let select = try BoundStatement(
            database,
            """
            SELECT \(columns.joined(separator: ", ")), id FROM subscriptions
            WHERE original_transaction_id = ? AND bundle_id = ?
            """)
        select.bind(1, chain.originalTransactionId.rawValue)
        select.bind(2, chain.bundleId.rawValue)
        if try select.step() {
            let id = select.int64(Int32(columns.count))
            let isEqual = SubscriptionRow(select) == row
            select.reset()
            if isEqual { return id }
            let values = columns.enumerated().map { "\($0.element) = ?\($0.offset + 3)" }
            var update = try BoundStatement(
                database,
                "UPDATE subscriptions SET \(values.joined(separator: ", ")) WHERE id = ?1")
            row.bind(&update)
            update.bind(1, id)
            written += try update.run()
            return id
        }
        var insert = try BoundStatement(database, SubscriptionRow.insert)
        insert.bind(1, chain.originalTransactionId.rawValue)
        insert.bind(2, chain.bundleId.rawValue)
        row.bind(&insert)
        written += try insert.run()
        return database.lastInsertedRowID
    }

    private func write<Row: ProjectionRow>(_ rows: [Row], _ subscription: Int64) throws -> Int {
        let select = try BoundStatement(
            database,
            """
            SELECT \(Row.columns.joined(separator: ", ")) FROM \(Row.table)
            WHERE subscription = ? ORDER BY seq
            """)
        select.bind(1, subscription)
        var stored: [Row] = []
        while try select.step() { stored.append(Row(select)) }
        var written = 0
        var insert = try BoundStatement(
            database,
            """
            INSERT OR REPLACE INTO \(Row.table)
            (subscription, seq, \(Row.columns.joined(separator: ", ")))
            VALUES (?, ?\(String(repeating: ", ?", count: Row.columns.count)))
            """)
        for (seq, row) in rows.enumerated() where seq >= stored.count || stored[seq] != row {
            insert.bind(1, subscription)
            insert.bind(2, Int64(seq))
            row.bind(&insert)
            written += try insert.run()
        }
        if stored.count > rows.count {
            let delete = try BoundStatement(
                database, "DELETE FROM \(Row.table) WHERE subscription = ? AND seq >= ?")
            delete.bind(1, subscription)
            delete.bind(2, Int64(rows.count))
            written += try delete.run()
        }
        return written
    }

    /// Facts are never taken back, so neither is a transactionId of a chain.
    private func writeTransactions() throws -> Int {
        let insert = try BoundStatement(
            database,
            """
            INSERT INTO transactions (transaction_id, subscription, first_position)
            VALUES (?1, ?2, ?3)
            ON CONFLICT DO UPDATE SET first_position = ?3 WHERE first_position <> ?3
            """)
        var written = 0
        for (row, subscription) in transactions.sorted(by: {
            ($0.row.transactionId, $0.subscription) < ($1.row.transactionId, $1.subscription)
        }) {
            insert.bind(1, row.transactionId)
            insert.bind(2, subscription)
            insert.bind(3, row.firstPosition)
            written += try insert.run()
        }
        return written
    }

    private func writeHoldings() throws -> Int {
        var written = 0
        for (row, subscription) in holdings.sorted(by: { $0.row.customer < $1.row.customer }) {
            written += try HoldingRow.write([row], subscription, database)
        }
        return written
    }
}
