import AppStore
internal import GRDB
internal import Ledger
public import LedgerStore

/// The state of every webhook endpoint, and the changes still to be delivered to it.
extension OperationsStore {
    /// Every endpoint registered here, by name.
    public func webhookEndpoints() async throws(StoreError) -> [WebhookEndpointRow] {
        try await read { try WebhookRows.endpoints($0) }
    }

    /// The state of one endpoint; nil when it is not registered.
    public func webhookEndpoint(_ name: String) async throws(StoreError) -> WebhookEndpointRow? {
        try await read { try WebhookRows.endpoints($0, named: name).first }
    }

    /// Registers an endpoint and its starting place unless it is registered: of several processes
    /// the first one decides.
    ///
    /// - Returns: its stored state.
    public func begin(_ endpoint: WebhookEndpointRow) async throws(StoreError) -> WebhookEndpointRow
    {
        try await write { database in
            if let known = try WebhookRows.endpoints(database, named: endpoint.name).first {
                return known
            }
            try WebhookRows.write(endpoint, database)
            return endpoint
        }
    }

    /// Moves an endpoint's cursor, and adds and removes waiting changes, in one transaction: a
    /// crash before it repeats deliveries and loses none.
    public func keep(
        _ endpoint: WebhookEndpointRow, waiting: [WaitingChange] = [],
        done: [ChainPlace] = []
    ) async throws(StoreError) {
        try await write { database in
            try WebhookRows.write(endpoint, database)
            for place in done { try WebhookRows.delete(place, of: endpoint.name, database) }
            for change in waiting { try WebhookRows.write(change, of: endpoint.name, database) }
        }
    }

    /// Changes waiting for an endpoint, in feed order; with `parked`, those that were given up
    /// instead.
    public func waiting(
        for endpoint: String, parked: Bool = false, limit: Int
    ) async throws(StoreError) -> [WaitingChange] {
        try await read { database in
            let select = try PreparedStatement(
                database,
                """
                SELECT position, clock, ordinal, place, bundle_id, chain, attempts, first_at,
                    next_at, outcome, parked_at
                FROM webhook_waiting
                WHERE endpoint = ? AND (parked_at IS NOT NULL) = ?
                ORDER BY position, clock, ordinal, place, bundle_id, chain LIMIT ?
                """)
            select.bind(1, endpoint)
            select.bind(2, parked)
            select.bind(3, Int64(max(1, limit)))
            defer { select.reset() }
            var found: [WaitingChange] = []
            while try select.step() { found.append(WebhookRows.waiting(select)) }
            return found
        }
    }

    /// The numbers of changes waiting for an endpoint and given up.
    public func waitingCounts(
        for endpoint: String
    ) async throws(StoreError) -> (waiting: Int, parked: Int) {
        try await read { database in
            let select = try PreparedStatement(
                database,
                """
                SELECT count(*) FILTER (WHERE parked_at IS NULL), count(parked_at)
                FROM webhook_waiting WHERE endpoint = ?
                """)
            select.bind(1, endpoint)
            defer { select.reset() }
            guard try select.step() else { return (0, 0) }
            return (Int(select.int64(0)), Int(select.int64(1)))
        }
    }

    /// Keeps the newest `limit` parked changes; returns how many were dropped.
    public func dropParked(
        for endpoint: String, keeping limit: Int
    ) async throws(StoreError) -> Int {
        try await write { database in
            let delete = try PreparedStatement(
                database,
                """
                DELETE FROM webhook_waiting WHERE endpoint = ?1 AND parked_at IS NOT NULL
                AND (position, clock, ordinal, place, bundle_id, chain) NOT IN (
                    SELECT position, clock, ordinal, place, bundle_id, chain
                    FROM webhook_waiting WHERE endpoint = ?1 AND parked_at IS NOT NULL
                    ORDER BY position DESC, clock DESC, ordinal DESC, place DESC,
                        bundle_id DESC, chain DESC LIMIT ?2)
                """)
            delete.bind(1, endpoint)
            delete.bind(2, Int64(limit))
            return try delete.run()
        }
    }
}

extension OperationsStore {
    /// Resumes delivery to an endpoint that reported that it is gone.
    public func enableWebhook(_ name: String) async throws(StoreError) {
        try await write { database in
            let update = try PreparedStatement(
                database, "UPDATE webhook_endpoints SET disabled_at = NULL WHERE name = ?")
            update.bind(1, name)
            try update.runInsert()
        }
    }

    /// Removes parked changes that were delivered after all.
    public func forgetParked(
        _ places: [ChainPlace], of endpoint: String
    ) async throws(StoreError) {
        guard !places.isEmpty else { return }
        try await write { database in
            for place in places {
                try WebhookRows.delete(place, of: endpoint, isParked: true, database)
            }
        }
    }
}
