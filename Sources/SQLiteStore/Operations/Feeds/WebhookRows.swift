internal import AppStore
internal import GRDB
internal import Ledger
internal import LedgerStore

/// The rows of webhook endpoints and of changes waiting for them.
enum WebhookRows {
    static func place(_ row: PreparedStatement, from column: Int32) -> ChangePlace {
        ChangePlace(
            position: row.int64(column), clock: row.int64(column + 1),
            ordinal: row.int64(column + 2), index: row.int64(column + 3))
    }

    static func time(_ row: PreparedStatement, _ column: Int32) -> Timestamp? {
        row.optionalInt64(column).map { Timestamp(milliseconds: $0) }
    }

    /// By name; with `named`, only that one.
    static func endpoints(
        _ database: Database, named name: String? = nil
    ) throws -> [WebhookEndpointRow] {
        let select = try PreparedStatement(
            database,
            """
            SELECT name, position, clock, ordinal, place, disabled_at, last_attempt_at,
                last_success_at, last_outcome, leaf_hash
            FROM webhook_endpoints WHERE ?1 IS NULL OR name = ?1 ORDER BY name
            """)
        select.bind(1, name)
        defer { select.reset() }
        var rows: [WebhookEndpointRow] = []
        while try select.step() {
            rows.append(
                WebhookEndpointRow(
                    name: select.text(0) ?? "", cursor: place(select, from: 1),
                    leafHash: select.digest(9), disabledAt: time(select, 5),
                    lastAttemptAt: time(select, 6), lastSuccessAt: time(select, 7),
                    lastOutcome: select.text(8)))
        }
        return rows
    }

    static func waiting(_ row: PreparedStatement) -> WaitingChange {
        WaitingChange(
            place: place(row, from: 0),
            chain: ChainId(
                bundleId: BundleId(row.text(4) ?? ""),
                originalTransactionId: OriginalTransactionId(row.text(5) ?? "")),
            attempts: row.int64(6), firstAt: Timestamp(milliseconds: row.int64(7)),
            nextAt: Timestamp(milliseconds: row.int64(8)), outcome: row.text(9),
            parkedAt: time(row, 10))
    }

    private static func bind(
        _ place: ChangePlace, to statement: PreparedStatement, from first: Int32
    ) {
        statement.bind(first, place.position)
        statement.bind(first + 1, place.clock)
        statement.bind(first + 2, place.ordinal)
        statement.bind(first + 3, place.index)
    }

    static func write(_ endpoint: WebhookEndpointRow, _ database: Database) throws {
        let insert = try PreparedStatement(
            database,
            """
            INSERT OR REPLACE INTO webhook_endpoints
            (name, position, clock, ordinal, place, disabled_at, last_attempt_at, last_success_at,
                last_outcome, leaf_hash)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        insert.bind(1, endpoint.name)
        bind(endpoint.cursor, to: insert, from: 2)
        insert.bind(6, endpoint.disabledAt?.milliseconds)
        insert.bind(7, endpoint.lastAttemptAt?.milliseconds)
        insert.bind(8, endpoint.lastSuccessAt?.milliseconds)
        insert.bind(9, endpoint.lastOutcome)
        insert.bind(10, endpoint.leafHash)
        try insert.runInsert()
    }

    static func write(_ change: WaitingChange, of endpoint: String, _ database: Database) throws {
        let insert = try PreparedStatement(
            database,
            """
            INSERT OR REPLACE INTO webhook_waiting
            (endpoint, position, clock, ordinal, place, bundle_id, chain, attempts, first_at,
                next_at, outcome, parked_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        insert.bind(1, endpoint)
        bind(change.place, to: insert, from: 2)
        insert.bind(6, change.chain.bundleId.rawValue)
        insert.bind(7, change.chain.originalTransactionId.rawValue)
        insert.bind(8, change.attempts)
        insert.bind(9, change.firstAt.milliseconds)
        insert.bind(10, change.nextAt.milliseconds)
        insert.bind(11, change.outcome)
        insert.bind(12, change.parkedAt?.milliseconds)
        try insert.runInsert()
    }

    static func delete(
        _ place: ChainPlace, of endpoint: String, isParked: Bool = false, _ database: Database
    ) throws {
        let delete = try PreparedStatement(
            database,
            """
            DELETE FROM webhook_waiting
            WHERE endpoint = ? AND position = ? AND clock = ? AND ordinal = ? AND place = ?
                AND bundle_id = ? AND chain = ? AND (parked_at IS NOT NULL) >= ?
            """)
        delete.bind(1, endpoint)
        bind(place.place, to: delete, from: 2)
        delete.bind(6, place.chain.bundleId.rawValue)
        delete.bind(7, place.chain.originalTransactionId.rawValue)
        delete.bind(8, isParked)
        try delete.runInsert()
    }
}
