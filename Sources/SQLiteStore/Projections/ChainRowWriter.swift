internal import AppStore
internal import GRDB
internal import Ledger

/// Updates stored rows to the given ones, writing only those that differ.
struct ChainRowWriter {
    let database: Database
    /// The log position up to which the stored rows are complete.
    private let position: Int64
    private var changes: MovementChanges
    /// Collected over all chains for `finish`: these tables have a different order than chains.
    private var transactions: [(row: ChainRows.TransactionRow, subscription: Int64)] = []
    private var orderLines: [(row: ChainRows.OrderLineRow, subscription: Int64)] = []
    private var holdings: [(row: HoldingRow, subscription: Int64)] = []

    init(_ database: Database, _ days: ReportDays, after position: Int64) throws {
        self.database = database
        self.position = position
        changes = MovementChanges(days)
    }

    /// Tables shared by all chains follow with `finish`.
    mutating func write(_ rows: ChainRows) throws {
        let subscription = try write(rows.chain, rows.subscription)
        try write(rows.intervals, subscription)
        try write(rows.timelineEvents, subscription)
        try write(rows.notices, subscription)
        // Ids first stated up to `position` are stored already: later events have later positions.
        for row in rows.transactions where row.firstPosition > position {
            transactions.append((row, subscription))
        }
        for row in rows.orderLines where row.firstPosition > position {
            orderLines.append((row, subscription))
        }
        holdings += rows.holdings.map { ($0, subscription) }
        if let contribution = rows.contribution {
            try write(contribution, rows.reported, subscription)
        }
    }

    /// Writes the tables that are not in chain order, and the sums of the chains. Each table is
    /// written in its own order, so that each page is visited once.
    mutating func finish() throws {
        try write(transactions)
        try write(orderLines)
        try writeHoldings()
        try changes.write(database)
    }

    /// The sums that differ follow with `finish`.
    private mutating func write(
        _ row: ContributionRow, _ reported: ChainMovements, _ subscription: Int64
    ) throws {
        let stored = try database.rows(ContributionRow.select, subscription) {
            ContributionRow($0)
        }.first
        guard stored != row else { return }
        changes.add(
            of: subscription,
            old: try stored.map { try ContributionCodec.movements($0.body) } ?? [],
            oldSignedAt: stored?.signedAt, new: reported.movements, signedAt: row.signedAt)
        for named in reported.classes { changes.name(named) }
        try database.run(
            stored == nil ? ContributionRow.insert : ContributionRow.update,
            values: [.integer(subscription)] + row.values)
    }

    /// Returns the number of the chain.
    private func write(_ chain: ChainId, _ row: SubscriptionRow) throws -> Int64 {
        let columns = SubscriptionRow.columns
        let stored = try database.rows(
            """
            SELECT \(columns.joined(separator: ", ")), id FROM subscriptions
            WHERE original_transaction_id = ? AND bundle_id = ?
            """, chain.originalTransactionId, chain.bundleId
        ) { (row: SubscriptionRow($0), id: $0.int64(Int32(columns.count))) }.first
        guard let stored else {
            let key: [ColumnValue] = [
                .text(chain.originalTransactionId.rawValue), .text(chain.bundleId.rawValue),
            ]
            try database.run(SubscriptionRow.insert(), values: key + row.values)
            return database.lastInsertedRowID
        }
        guard stored.row != row else { return stored.id }
        let places = columns.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
        try database.run(
            """
            UPDATE subscriptions SET (\(columns.joined(separator: ", "))) = (\(places))
            WHERE id = ?1
            """, values: [.integer(stored.id)] + row.values)
        return stored.id
    }

    private func write<Row: ProjectionRow>(_ rows: [Row], _ subscription: Int64) throws {
        let stored = try database.rows(
            """
            SELECT \(Row.columns.joined(separator: ", ")) FROM \(Row.table)
            WHERE subscription = ? ORDER BY seq
            """, subscription
        ) { Row($0) }
        for (seq, row) in rows.enumerated() where seq >= stored.count || stored[seq] != row {
            try database.run(
                Row.insert(orReplacing: true),
                values: [.integer(subscription), .integer(Int64(seq))] + row.values)
        }
        if stored.count > rows.count {
            try database.run(
                "DELETE FROM \(Row.table) WHERE subscription = ? AND seq >= ?", subscription,
                rows.count)
        }
    }

    /// Facts are never withdrawn, so a chain never loses an id, and a customer once named stays
    /// named.
    private func write<Row: StatedIdRow>(
        _ rows: [(row: Row, subscription: Int64)]
    ) throws {
        let order = rows.sorted { ($0.row.id, $0.subscription) < ($1.row.id, $1.subscription) }
        let insert = """
            INSERT INTO \(Row.table) (\(Row.columns[0]), subscription, first_position)
            VALUES (?1, ?2, ?3)
            ON CONFLICT DO UPDATE SET first_position = ?3 WHERE first_position <> ?3
            """
        for entry in order {
            try database.run(insert, entry.row.id, entry.subscription, entry.row.firstPosition)
        }
    }

    private func writeHoldings() throws {
        for entry in holdings.sorted(by: { $0.row.customer < $1.row.customer }) {
            try database.run(
                """
                INSERT INTO holdings (customer, subscription, holds, body) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT DO UPDATE SET holds = ?3, body = ?4 WHERE holds <> ?3 OR body <> ?4
                """, entry.row.customer, entry.subscription, entry.row.holds, entry.row.body)
        }
    }
}
