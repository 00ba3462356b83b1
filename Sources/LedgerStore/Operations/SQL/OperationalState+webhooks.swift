public import Ledger

/// The state of every webhook endpoint, and the changes still to be delivered to it.
extension OperationalState {
    /// The state of one endpoint; nil when it is not registered.
    public func webhookEndpoint(_ name: String) async throws(StoreError) -> WebhookEndpointRow? {
        try await readTables { try $0.endpoint(name) }
    }

    /// Registers an endpoint and its starting place unless it is registered: of several processes
    /// the first one decides.
    ///
    /// - Returns: its stored state.
    public func begin(
        _ endpoint: WebhookEndpointRow
    ) async throws(StoreError) -> WebhookEndpointRow {
        try await writeTables(.webhooks) { tables in
            if let known = try tables.endpoint(endpoint.name) { return known }
            try tables.write(endpoint)
            return endpoint
        }
    }

    /// Moves an endpoint's cursor, and adds and removes waiting changes, in one transaction: a
    /// crash before it repeats deliveries and loses none.
    ///
    /// `last` is the cursor that the caller read or stored last. Returns false, and writes nothing,
    /// where another cursor is stored, as after a failover to a standby that was behind: changes
    /// that were stored as waiting with the caller's cursor are lost, too.
    @discardableResult
    public func keep(
        _ endpoint: WebhookEndpointRow, waiting: [WaitingChange] = [], done: [ChainPlace] = [],
        after last: ChangePlace? = nil
    ) async throws(StoreError) -> Bool {
        try await writeTables(.webhooks) { tables in
            if let last, let known = try tables.endpoint(endpoint.name), known.cursor != last {
                return false
            }
            try tables.write(endpoint)
            for place in done { try tables.delete(place, of: endpoint.name) }
            for change in waiting { try tables.write(change, of: endpoint.name) }
            return true
        }
    }

    /// Changes waiting for an endpoint, in feed order; with `parked`, those that were given up
    /// instead.
    public func waiting(
        for endpoint: String, parked: Bool = false, limit: Int
    ) async throws(StoreError) -> [WaitingChange] {
        try await rows(
            """
            SELECT position, clock, ordinal, place, bundle_id, chain, attempts, first_at,
                next_at, outcome, parked_at
            FROM @webhook_waiting
            WHERE endpoint = $1::bytea AND (parked_at IS NOT NULL) = $2::boolean
            ORDER BY position, clock, ordinal, place, bundle_id, chain LIMIT $3::bigint
            """, endpoint, parked, max(1, limit)
        ) { row in
            WaitingChange(
                place: try row.changePlace(0), chain: try row.chainId(4),
                attempts: try row.int64(6), firstAt: try row.time(7),
                nextAt: try row.time(8), outcome: row.text(9),
                parkedAt: try row.optionalTime(10))
        }
    }

    /// The numbers of changes waiting for an endpoint and given up.
    public func waitingCounts(
        for endpoint: String
    ) async throws(StoreError) -> (waiting: Int, parked: Int) {
        try await rows(
            """
            SELECT count(*) FILTER (WHERE parked_at IS NULL), count(parked_at)
            FROM @webhook_waiting WHERE endpoint = $1::bytea
            """, endpoint
        ) { (waiting: Int(try $0.int64(0)), parked: Int(try $0.int64(1))) }.first ?? (0, 0)
    }

    /// Keeps the newest `limit` parked changes; returns how many were dropped.
    public func dropParked(
        for endpoint: String, keeping limit: Int
    ) async throws(StoreError) -> Int {
        try await writeTables(.webhooks) { tables in
            try tables.execute(
                """
                DELETE FROM @webhook_waiting WHERE endpoint = $1::bytea AND parked_at IS NOT NULL
                AND (position, clock, ordinal, place, bundle_id, chain) NOT IN (
                    SELECT position, clock, ordinal, place, bundle_id, chain
                    FROM @webhook_waiting WHERE endpoint = $1::bytea AND parked_at IS NOT NULL
                    ORDER BY position DESC, clock DESC, ordinal DESC, place DESC,
                        bundle_id DESC, chain DESC LIMIT $2::bigint)
                """, endpoint, limit)
        }
    }

    /// Resumes delivery to an endpoint that reported that it is gone.
    public func enableWebhook(_ name: String) async throws(StoreError) {
        try await writeTables(.webhooks) { tables in
            _ = try tables.execute(
                "UPDATE @webhook_endpoints SET disabled_at = NULL WHERE name = $1::bytea", name)
        }
    }

    /// Removes parked changes that were delivered after all.
    public func forgetParked(
        _ places: [ChainPlace], of endpoint: String
    ) async throws(StoreError) {
        guard !places.isEmpty else { return }
        try await writeTables(.webhooks) { tables in
            for place in places { try tables.delete(place, of: endpoint, isParked: true) }
        }
    }
}

extension SQLTables {
    fileprivate func endpoint(_ name: String) throws -> WebhookEndpointRow? {
        try rows(
            """
            SELECT name, position, clock, ordinal, place, disabled_at, last_attempt_at,
                last_success_at, last_outcome, leaf_hash
            FROM @webhook_endpoints WHERE name = $1::bytea
            """, name
        ) { row in
            WebhookEndpointRow(
                name: try row.requiredText(0), cursor: try row.changePlace(1),
                leafHash: row.digest(9), disabledAt: try row.optionalTime(5),
                lastAttemptAt: try row.optionalTime(6), lastSuccessAt: try row.optionalTime(7),
                lastOutcome: row.text(8))
        }.first
    }

    fileprivate func write(_ endpoint: WebhookEndpointRow) throws {
        let cursor = endpoint.cursor
        try insert(
            into: "webhook_endpoints",
            [
                "name": endpoint.name, "position": cursor.position, "clock": cursor.clock,
                "ordinal": cursor.ordinal, "place": cursor.index,
                "disabled_at": endpoint.disabledAt, "last_attempt_at": endpoint.lastAttemptAt,
                "last_success_at": endpoint.lastSuccessAt,
                "last_outcome": endpoint.lastOutcome, "leaf_hash": endpoint.leafHash,
            ], replacing: ["name"])
    }

    fileprivate func write(_ change: WaitingChange, of endpoint: String) throws {
        let (place, chain) = (change.place, change.chain)
        try insert(
            into: "webhook_waiting",
            [
                "endpoint": endpoint, "position": place.position, "clock": place.clock,
                "ordinal": place.ordinal, "place": place.index, "bundle_id": chain.bundleId,
                "chain": chain.originalTransactionId, "attempts": change.attempts,
                "first_at": change.firstAt, "next_at": change.nextAt, "outcome": change.outcome,
                "parked_at": change.parkedAt,
            ],
            replacing: [
                "endpoint", "position", "clock", "ordinal", "place", "bundle_id", "chain",
            ])
    }

    fileprivate func delete(
        _ place: ChainPlace, of endpoint: String, isParked: Bool = false
    ) throws {
        try execute(
            """
            DELETE FROM @webhook_waiting
            WHERE endpoint = $1::bytea AND position = $2::bigint AND clock = $3::bigint
                AND ordinal = $4::bigint AND place = $5::bigint AND bundle_id = $6::bytea
                AND chain = $7::bytea AND (parked_at IS NOT NULL) >= $8::boolean
            """, endpoint, place.place.position, place.place.clock, place.place.ordinal,
            place.place.index, place.chain.bundleId, place.chain.originalTransactionId, isParked)
    }
}

extension SQLRow {
    fileprivate func changePlace(_ column: Int32) throws -> ChangePlace {
        ChangePlace(
            position: try int64(column), clock: try int64(column + 1),
            ordinal: try int64(column + 2), index: try int64(column + 3))
    }
}
