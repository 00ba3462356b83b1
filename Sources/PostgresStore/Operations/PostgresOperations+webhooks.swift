internal import AppStore
internal import Ledger
public import LedgerStore

/// The state of every webhook endpoint, and the changes still to be delivered to it.
extension PostgresOperations {
    public func webhookEndpoints() async throws(StoreError) -> [WebhookEndpointRow] {
        try await read { try PostgresOperations.endpoints($0) }
    }

    public func webhookEndpoint(_ name: String) async throws(StoreError) -> WebhookEndpointRow? {
        try await read { try PostgresOperations.endpoints($0, named: name).first }
    }

    public func begin(
        _ endpoint: WebhookEndpointRow
    ) async throws(StoreError) -> WebhookEndpointRow {
        try await write(.webhooks) { transaction in
            let known = try PostgresOperations.endpoints(transaction, named: endpoint.name).first
            if let known { return known }
            try PostgresOperations.write(endpoint, transaction)
            return endpoint
        }
    }

    public func keep(
        _ endpoint: WebhookEndpointRow, waiting: [WaitingChange], done: [ChainPlace]
    ) async throws(StoreError) {
        try await write(.webhooks) { transaction in
            try PostgresOperations.write(endpoint, transaction)
            for place in done {
                try PostgresOperations.delete(place, of: endpoint.name, transaction)
            }
            for change in waiting {
                try PostgresOperations.write(change, of: endpoint.name, transaction)
            }
        }
    }

    public func waiting(
        for endpoint: String, parked: Bool, limit: Int
    ) async throws(StoreError) -> [WaitingChange] {
        try await read { transaction in
            try transaction.run(
                """
                SELECT position, clock, ordinal, place, bundle_id, chain, attempts, first_at,
                    next_at, outcome, parked_at
                FROM @webhook_waiting
                WHERE endpoint = $1::bytea AND (parked_at IS NOT NULL) = $2::boolean
                ORDER BY position, clock, ordinal, place, bundle_id, chain LIMIT $3::bigint
                """, endpoint, parked, max(1, limit)
            ).rows.map { row in
                WaitingChange(
                    place: try PostgresOperations.place(row, from: 0), chain: try row.chainId(4),
                    attempts: try row.int64(6), firstAt: try row.time(7),
                    nextAt: try row.time(8), outcome: row.text(9),
                    parkedAt: try row.optionalTime(10))
            }
        }
    }

    public func waitingCounts(
        for endpoint: String
    ) async throws(StoreError) -> (waiting: Int, parked: Int) {
        try await read { transaction in
            let row = try transaction.run(
                """
                SELECT count(*) FILTER (WHERE parked_at IS NULL), count(parked_at)
                FROM @webhook_waiting WHERE endpoint = $1::bytea
                """, endpoint
            ).first
            return try row.map { row in
                (waiting: Int(try row.int64(0)), parked: Int(try row.int64(1)))
            } ?? (0, 0)
        }
    }

    public func dropParked(
        for endpoint: String, keeping limit: Int
    ) async throws(StoreError) -> Int {
        try await write(.webhooks) { transaction in
            try transaction.run(
                """
                DELETE FROM @webhook_waiting WHERE endpoint = $1::bytea AND parked_at IS NOT NULL
                AND (position, clock, ordinal, place, bundle_id, chain) NOT IN (
                    SELECT position, clock, ordinal, place, bundle_id, chain
                    FROM @webhook_waiting WHERE endpoint = $1::bytea AND parked_at IS NOT NULL
                    ORDER BY position DESC, clock DESC, ordinal DESC, place DESC,
                        bundle_id DESC, chain DESC LIMIT $2::bigint)
                """, endpoint, limit
            ).affectedCount
        }
    }

    public func enableWebhook(_ name: String) async throws(StoreError) {
        try await write(.webhooks) { transaction in
            _ = try transaction.run(
                "UPDATE @webhook_endpoints SET disabled_at = NULL WHERE name = $1::bytea", name)
        }
    }

    public func forgetParked(
        _ places: [ChainPlace], of endpoint: String
    ) async throws(StoreError) {
        guard !places.isEmpty else { return }
        try await write(.webhooks) { transaction in
            for place in places {
                try PostgresOperations.delete(place, of: endpoint, isParked: true, transaction)
            }
        }
    }

    // MARK: Rows

    /// By name; with `named`, only that one.
    private static func endpoints(
        _ transaction: OperationsTransaction, named name: String? = nil
    ) throws -> [WebhookEndpointRow] {
        try transaction.run(
            """
            SELECT name, position, clock, ordinal, place, disabled_at, last_attempt_at,
                last_success_at, last_outcome, leaf_hash
            FROM @webhook_endpoints WHERE $1::bytea IS NULL OR name = $1::bytea ORDER BY name
            """, name
        ).rows.map { row in
            WebhookEndpointRow(
                name: try row.requiredText(0), cursor: try place(row, from: 1),
                leafHash: row.digest(9), disabledAt: try row.optionalTime(5),
                lastAttemptAt: try row.optionalTime(6), lastSuccessAt: try row.optionalTime(7),
                lastOutcome: row.text(8))
        }
    }

    private static func write(
        _ endpoint: WebhookEndpointRow, _ transaction: OperationsTransaction
    ) throws {
        let cursor = endpoint.cursor
        try transaction.run(
            """
            INSERT INTO @webhook_endpoints (name, position, clock, ordinal, place, disabled_at,
                last_attempt_at, last_success_at, last_outcome, leaf_hash)
            VALUES ($1::bytea, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bigint,
                $7::bigint, $8::bigint, $9::bytea, $10::bytea)
            ON CONFLICT (name) DO UPDATE SET position = excluded.position,
                clock = excluded.clock, ordinal = excluded.ordinal, place = excluded.place,
                disabled_at = excluded.disabled_at, last_attempt_at = excluded.last_attempt_at,
                last_success_at = excluded.last_success_at,
                last_outcome = excluded.last_outcome, leaf_hash = excluded.leaf_hash
            """, endpoint.name, cursor.position, cursor.clock, cursor.ordinal, cursor.index,
            endpoint.disabledAt, endpoint.lastAttemptAt, endpoint.lastSuccessAt,
            endpoint.lastOutcome, endpoint.leafHash)
    }

    private static func write(
        _ change: WaitingChange, of endpoint: String, _ transaction: OperationsTransaction
    ) throws {
        let (place, chain) = (change.place, change.chain)
        try transaction.run(
            """
            INSERT INTO @webhook_waiting (endpoint, position, clock, ordinal, place, bundle_id,
                chain, attempts, first_at, next_at, outcome, parked_at)
            VALUES ($1::bytea, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bytea,
                $7::bytea, $8::bigint, $9::bigint, $10::bigint, $11::bytea, $12::bigint)
            ON CONFLICT (endpoint, position, clock, ordinal, place, bundle_id, chain)
            DO UPDATE SET attempts = excluded.attempts, first_at = excluded.first_at,
                next_at = excluded.next_at, outcome = excluded.outcome,
                parked_at = excluded.parked_at
            """, endpoint, place.position, place.clock, place.ordinal, place.index,
            chain.bundleId, chain.originalTransactionId, change.attempts, change.firstAt,
            change.nextAt, change.outcome, change.parkedAt)
    }

    private static func delete(
        _ place: ChainPlace, of endpoint: String, isParked: Bool = false,
        _ transaction: OperationsTransaction
    ) throws {
        try transaction.run(
            """
            DELETE FROM @webhook_waiting
            WHERE endpoint = $1::bytea AND position = $2::bigint AND clock = $3::bigint
                AND ordinal = $4::bigint AND place = $5::bigint AND bundle_id = $6::bytea
                AND chain = $7::bytea AND (parked_at IS NOT NULL) >= $8::boolean
            """, endpoint, place.place.position, place.place.clock, place.place.ordinal,
            place.place.index, place.chain.bundleId, place.chain.originalTransactionId, isParked)
    }

    private static func place(
        _ row: ResultRow, from column: Int32
    ) throws(PostgresError) -> ChangePlace {
        ChangePlace(
            position: try row.int64(column), clock: try row.int64(column + 1),
            ordinal: try row.int64(column + 2), index: try row.int64(column + 3))
    }
}
