internal import AppStore
internal import GRDB
internal import Ledger
public import LedgerStore

/// The state of every webhook endpoint, and the changes still to be delivered to it.
extension OperationsStore {
    public func webhookEndpoints() async throws(StoreError) -> [WebhookEndpointRow] {
        try await read { try OperationsStore.endpoints($0) }
    }

    public func webhookEndpoint(_ name: String) async throws(StoreError) -> WebhookEndpointRow? {
        try await read { try OperationsStore.endpoints($0, named: name).first }
    }

    public func begin(_ endpoint: WebhookEndpointRow) async throws(StoreError) -> WebhookEndpointRow
    {
        try await write { database in
            if let known = try OperationsStore.endpoints(database, named: endpoint.name).first {
                return known
            }
            try OperationsStore.write(endpoint, database)
            return endpoint
        }
    }

    public func keep(
        _ endpoint: WebhookEndpointRow, waiting: [WaitingChange], done: [ChainPlace]
    ) async throws(StoreError) {
        try await write { database in
            try OperationsStore.write(endpoint, database)
            for place in done { try OperationsStore.delete(place, of: endpoint.name, database) }
            for change in waiting {
                try OperationsStore.write(change, of: endpoint.name, database)
            }
        }
    }

    public func waiting(
        for endpoint: String, parked: Bool, limit: Int
    ) async throws(StoreError) -> [WaitingChange] {
        try await read { database in
            try database.rows(
                """
                SELECT position, clock, ordinal, place, bundle_id, chain, attempts, first_at,
                    next_at, outcome, parked_at
                FROM webhook_waiting
                WHERE endpoint = ? AND (parked_at IS NOT NULL) = ?
                ORDER BY position, clock, ordinal, place, bundle_id, chain LIMIT ?
                """, endpoint, parked, max(1, limit)
            ) { row in
                WaitingChange(
                    place: OperationsStore.place(row, from: 0), chain: row.chainId(4),
                    attempts: row.int64(6), firstAt: row.time(7), nextAt: row.time(8),
                    outcome: row.text(9), parkedAt: row.optionalTime(10))
            }
        }
    }

    public func waitingCounts(
        for endpoint: String
    ) async throws(StoreError) -> (waiting: Int, parked: Int) {
        try await read { database in
            try database.rows(
                """
                SELECT count(*) FILTER (WHERE parked_at IS NULL), count(parked_at)
                FROM webhook_waiting WHERE endpoint = ?
                """, endpoint
            ) { (waiting: Int($0.int64(0)), parked: Int($0.int64(1))) }.first ?? (0, 0)
        }
    }

    public func dropParked(
        for endpoint: String, keeping limit: Int
    ) async throws(StoreError) -> Int {
        try await write { database in
            try database.run(
                """
                DELETE FROM webhook_waiting WHERE endpoint = ?1 AND parked_at IS NOT NULL
                AND (position, clock, ordinal, place, bundle_id, chain) NOT IN (
                    SELECT position, clock, ordinal, place, bundle_id, chain
                    FROM webhook_waiting WHERE endpoint = ?1 AND parked_at IS NOT NULL
                    ORDER BY position DESC, clock DESC, ordinal DESC, place DESC,
                        bundle_id DESC, chain DESC LIMIT ?2)
                """, endpoint, limit)
        }
    }

    public func enableWebhook(_ name: String) async throws(StoreError) {
        try await write { database in
            _ = try database.run(
                "UPDATE webhook_endpoints SET disabled_at = NULL WHERE name = ?", name)
        }
    }

    public func forgetParked(
        _ places: [ChainPlace], of endpoint: String
    ) async throws(StoreError) {
        guard !places.isEmpty else { return }
        try await write { database in
            for place in places {
                try OperationsStore.delete(place, of: endpoint, isParked: true, database)
            }
        }
    }

    // MARK: Rows

    /// By name; with `named`, only that one.
    private static func endpoints(
        _ database: Database, named name: String? = nil
    ) throws -> [WebhookEndpointRow] {
        try database.rows(
            """
            SELECT name, position, clock, ordinal, place, disabled_at, last_attempt_at,
                last_success_at, last_outcome, leaf_hash
            FROM webhook_endpoints WHERE ?1 IS NULL OR name = ?1 ORDER BY name
            """, name
        ) { row in
            WebhookEndpointRow(
                name: row.requiredText(0), cursor: place(row, from: 1), leafHash: row.digest(9),
                disabledAt: row.optionalTime(5), lastAttemptAt: row.optionalTime(6),
                lastSuccessAt: row.optionalTime(7), lastOutcome: row.text(8))
        }
    }

    private static func write(_ endpoint: WebhookEndpointRow, _ database: Database) throws {
        let cursor = endpoint.cursor
        try database.insert(
            "INSERT OR REPLACE", into: "webhook_endpoints",
            [
                "name": endpoint.name, "position": cursor.position, "clock": cursor.clock,
                "ordinal": cursor.ordinal, "place": cursor.index,
                "disabled_at": endpoint.disabledAt, "last_attempt_at": endpoint.lastAttemptAt,
                "last_success_at": endpoint.lastSuccessAt,
                "last_outcome": endpoint.lastOutcome, "leaf_hash": endpoint.leafHash,
            ])
    }

    private static func write(
        _ change: WaitingChange, of endpoint: String, _ database: Database
    ) throws {
        let (place, chain) = (change.place, change.chain)
        try database.insert(
            "INSERT OR REPLACE", into: "webhook_waiting",
            [
                "endpoint": endpoint, "position": place.position, "clock": place.clock,
                "ordinal": place.ordinal, "place": place.index, "bundle_id": chain.bundleId,
                "chain": chain.originalTransactionId, "attempts": change.attempts,
                "first_at": change.firstAt, "next_at": change.nextAt, "outcome": change.outcome,
                "parked_at": change.parkedAt,
            ])
    }

    private static func delete(
        _ place: ChainPlace, of endpoint: String, isParked: Bool = false, _ database: Database
    ) throws {
        try database.run(
            """
            DELETE FROM webhook_waiting
            WHERE endpoint = ? AND position = ? AND clock = ? AND ordinal = ? AND place = ?
                AND bundle_id = ? AND chain = ? AND (parked_at IS NOT NULL) >= ?
            """, endpoint, place.place.position, place.place.clock, place.place.ordinal,
            place.place.index, place.chain.bundleId, place.chain.originalTransactionId, isParked)
    }

    private static func place(_ row: PreparedStatement, from column: Int32) -> ChangePlace {
        ChangePlace(
            position: row.int64(column), clock: row.int64(column + 1),
            ordinal: row.int64(column + 2), index: row.int64(column + 3))
    }
}
