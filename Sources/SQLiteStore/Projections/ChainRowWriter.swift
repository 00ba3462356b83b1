internal import AppStore
internal import GRDB
internal import Ledger

/// Updates stored rows to the given ones, writing only those that differ.
struct ChainRowWriter {
    let database: Database
    /// The log position up to which the stored rows are complete.
    private let position: Int64
    var movements: MovementWriter
    private let selectSubscription: PreparedStatement
    private var updateSubscription: PreparedStatement
    private var intervals: RowStatements<IntervalRow>
    private var lifeFacts: RowStatements<TimelineEventRow>
    private var notices: RowStatements<NoticeRow>
    /// Collected over all chains for `finish`: these tables have a different order than chains.
    private var transactions: [(row: ChainRows.TransactionRow, subscription: Int64)] = []
    private var holdings: [(row: HoldingRow, subscription: Int64)] = []

    init(_ database: Database, _ days: ReportDays, after position: Int64) throws {
        self.database = database
        self.position = position
        movements = MovementWriter(database, days)
        let columns = SubscriptionRow.columns
        selectSubscription = try PreparedStatement(
            database,
            """
            SELECT \(columns.joined(separator: ", ")), id FROM subscriptions
            WHERE original_transaction_id = ? AND bundle_id = ?
            """)
        let values = columns.enumerated().map { "\($0.element) = ?\($0.offset + 3)" }
        updateSubscription = try PreparedStatement(
            database, "UPDATE subscriptions SET \(values.joined(separator: ", ")) WHERE id = ?1")
        intervals = try RowStatements(database)
        lifeFacts = try RowStatements(database)
        notices = try RowStatements(database)
    }

    /// Returns the number of rows written or removed; tables shared by all chains follow with
    /// `finish`.
    mutating func write(_ rows: ChainRows) throws -> Int {
        var written = 0
        let subscription = try write(rows.chain, rows.subscription, &written)
        written += try intervals.write(rows.intervals, subscription)
        written += try lifeFacts.write(rows.lifeFacts, subscription)
        written += try notices.write(rows.notices, subscription)
        // Transactions stated up to that position are stored: no later event has an earlier
        // position.
        for row in rows.transactions where row.firstPosition > position {
            transactions.append((row, subscription))
        }
        holdings += rows.holdings.map { ($0, subscription) }
        if let contribution = rows.contribution {
            try movements.write(contribution, rows.reported, subscription)
        }
        return written
    }

    /// Writes the tables that are not in chain order, and the sums of the chains; returns the
    /// number of rows. Each table is written in its own order, so that each page is visited once.
    mutating func finish() throws -> Int {
        let written = try writeTransactions() + writeHoldings()
        return try written + movements.finish()
    }

    private mutating func write(
        _ chain: ChainId, _ row: SubscriptionRow, _ written: inout Int
    ) throws -> Int64 {
        let select = selectSubscription
        select.bind(1, chain.originalTransactionId.rawValue)
        select.bind(2, chain.bundleId.rawValue)
        if try select.step() {
            let id = select.int64(Int32(SubscriptionRow.columns.count))
            let isEqual = SubscriptionRow(select) == row
            select.reset()
            if isEqual { return id }
            row.bind(&updateSubscription, from: 3)
            updateSubscription.bind(1, id)
            written += try updateSubscription.run()
            return id
        }
        var insert = try PreparedStatement(database, SubscriptionRow.insert)
        insert.bind(1, chain.originalTransactionId.rawValue)
        insert.bind(2, chain.bundleId.rawValue)
        row.bind(&insert, from: 3)
        written += try insert.run()
        return database.lastInsertedRowID
    }

    /// Facts are never withdrawn, so a chain never loses a transactionId, and a customer once named
    /// stays named.
    private func writeTransactions() throws -> Int {
        let order = transactions.sorted {
            ($0.row.transactionId, $0.subscription) < ($1.row.transactionId, $1.subscription)
        }
        return try order.reduce(0) { written, entry in
            try written
                + database.run(
                    """
                    INSERT INTO transactions (transaction_id, subscription, first_position)
                    VALUES (?1, ?2, ?3)
                    ON CONFLICT DO UPDATE SET first_position = ?3 WHERE first_position <> ?3
                    """, entry.row.transactionId, entry.subscription, entry.row.firstPosition)
        }
    }

    private func writeHoldings() throws -> Int {
        try holdings.sorted { $0.row.customer < $1.row.customer }.reduce(0) { written, entry in
            try written
                + database.run(
                    """
                    INSERT INTO holdings (customer, subscription, holds, body)
                    VALUES (?1, ?2, ?3, ?4)
                    ON CONFLICT DO UPDATE SET holds = ?3, body = ?4 WHERE holds <> ?3 OR body <> ?4
                    """, entry.row.customer, entry.subscription, entry.row.holds, entry.row.body)
        }
    }
}

/// Updates the rows of one chain in one table. Prepared once for all chains.
private struct RowStatements<Row: ProjectionRow> {
    private let select: PreparedStatement
    private var replace: PreparedStatement
    private let delete: PreparedStatement

    init(_ database: Database) throws {
        let columns = Row.columns.joined(separator: ", ")
        select = try PreparedStatement(
            database, "SELECT \(columns) FROM \(Row.table) WHERE subscription = ? ORDER BY seq")
        replace = try PreparedStatement(
            database,
            """
            INSERT OR REPLACE INTO \(Row.table) (subscription, seq, \(columns))
            VALUES (?, ?\(String(repeating: ", ?", count: Row.columns.count)))
            """)
        delete = try PreparedStatement(
            database, "DELETE FROM \(Row.table) WHERE subscription = ? AND seq >= ?")
    }

    /// Returns the number of rows written and removed.
    mutating func write(_ rows: [Row], _ subscription: Int64) throws -> Int {
        select.bind(1, subscription)
        var (count, isEqual) = (0, [Bool]())
        while try select.step() {
            isEqual.append(count < rows.count && Row(select) == rows[count])
            count += 1
        }
        var written = 0
        for (seq, row) in rows.enumerated() where seq >= count || !isEqual[seq] {
            replace.bind(1, subscription)
            replace.bind(2, Int64(seq))
            row.bind(&replace, from: 3)
            written += try replace.run()
        }
        if count > rows.count {
            delete.bind(1, subscription)
            delete.bind(2, Int64(rows.count))
            written += try delete.run()
        }
        return written
    }
}
