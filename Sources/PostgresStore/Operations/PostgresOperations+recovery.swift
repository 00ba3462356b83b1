public import AppStore
public import LedgerStore

/// Durable cursors of recoveries: an interrupted one continues where it stopped.
extension PostgresOperations {
    public func beginRecovery(
        _ id: String, at now: Timestamp, head: Int64, slices: [RecoverySlice],
        keptFor lifetime: Int64
    ) async throws(StoreError) -> RecoveryRecord {
        try await write(.recovery) { transaction in
            let left = try transaction.run(
                """
                SELECT id FROM @recoveries
                WHERE asked_at <= $1::bigint OR (id = $2::bytea AND (reached_position > $3::bigint
                    OR asked_at > $4::bigint OR asked_at <= $5::bigint))
                """, now.milliseconds - OperationsLimits.recoveryMilliseconds, id, head, now,
                now.milliseconds - lifetime
            ).rows.map { try $0.requiredText(0) }
            for id in left { try PostgresOperations.forget(id, transaction) }
            if let known = try PostgresOperations.record(id, transaction) { return known }
            try transaction.run(
                """
                INSERT INTO @recoveries (id, asked_at, start_position, reached_position)
                VALUES ($1::bytea, $2::bigint, $3::bigint, $3::bigint)
                """, id, now, head)
            try PostgresOperations.insert(slices, id, transaction)
            return RecoveryRecord(
                id: id, requestedAt: now, appleRequestedAt: nil, startPosition: head,
                isFlawed: false, slices: slices)
        }
    }

    public func advanceRecovery(
        _ id: String, _ slice: RecoverySlice, undelivered: [(name: String, body: String)],
        appleDate: Timestamp?, isFlawed: Bool, position: Int64
    ) async throws(StoreError) {
        try await write(.recovery) { transaction in
            try transaction.run(
                """
                UPDATE @recovery_slices
                SET place = $1::bytea, fetched = $2::bigint, is_done = $3::boolean
                WHERE recovery = $4::bytea AND pass = $5::bigint AND from_at = $6::bigint
                """, slice.place, slice.fetchedCount, slice.isDone, id, slice.pass, slice.from)
            try PostgresOperations.note(id, appleDate, isFlawed, position, transaction)
            try PostgresOperations.keep(undelivered, id, transaction)
        }
    }

    public func divideRecovery(
        _ id: String, _ slice: RecoverySlice, into pieces: [RecoverySlice],
        appleDate: Timestamp?, isFlawed: Bool, position: Int64
    ) async throws(StoreError) {
        try await write(.recovery) { transaction in
            try transaction.run(
                """
                DELETE FROM @recovery_slices
                WHERE recovery = $1::bytea AND pass = $2::bigint AND from_at = $3::bigint
                """, id, slice.pass, slice.from)
            try PostgresOperations.insert(pieces, id, transaction)
            try PostgresOperations.note(id, appleDate, isFlawed, position, transaction)
        }
    }

    public func recovery(_ id: String) async throws(StoreError) -> RecoveryRecord? {
        try await read { try PostgresOperations.record(id, $0) }
    }

    public func undelivered(_ id: String) async throws(StoreError) -> [String] {
        try await read { transaction in
            try transaction.run(
                """
                SELECT body FROM @recovery_undelivered WHERE recovery = $1::bytea
                ORDER BY notification_uuid
                """, id
            ).rows.map { try $0.requiredText(0) }
        }
    }

    public func endRecovery(_ id: String, keeping report: StoredReport?) async throws(StoreError) {
        try await write(.recovery) { transaction in
            try PostgresOperations.forget(id, transaction)
            guard let report else { return }
            try transaction.run(
                """
                INSERT INTO @recovery_reports (id, bundle_id, ended_at, is_flawed, json, text)
                VALUES ($1::bigint, $2::bytea, $3::bigint, $4::boolean, $5::bytea, $6::bytea)
                """, try transaction.nextId(of: .recovery), report.bundleId, report.endedAt,
                report.isFlawed, report.json, report.text)
            try transaction.run(
                """
                DELETE FROM @recovery_reports WHERE id <= (
                    SELECT id FROM @recovery_reports ORDER BY id DESC LIMIT 1 OFFSET $1::bigint)
                """, OperationsLimits.recoveryReportCount)
        }
    }

    public func lastRecoveryReport(of app: BundleId?) async throws(StoreError) -> StoredReport? {
        try await read { transaction in
            let row = try transaction.run(
                """
                SELECT bundle_id, ended_at, is_flawed, json, text FROM @recovery_reports
                WHERE $1::bytea IS NULL OR bundle_id = $1::bytea ORDER BY id DESC LIMIT 1
                """, app
            ).first
            return try row.map(PostgresOperations.report)
        }
    }

    public func recoveryReports() async throws(StoreError) -> [StoredReportEntry] {
        try await read { transaction in
            try transaction.run(
                """
                SELECT id, bundle_id, ended_at, is_flawed FROM @recovery_reports ORDER BY id DESC
                """
            ).rows.map { row in
                StoredReportEntry(
                    id: try row.int64(0), bundleId: BundleId(try row.requiredText(1)),
                    endedAt: try row.time(2), isFlawed: try row.bool(3))
            }
        }
    }

    public func recoveryReport(_ id: Int64) async throws(StoreError) -> StoredReport? {
        try await read { transaction in
            let row = try transaction.run(
                """
                SELECT bundle_id, ended_at, is_flawed, json, text FROM @recovery_reports
                WHERE id = $1::bigint
                """, id
            ).first
            return try row.map(PostgresOperations.report)
        }
    }

    public func openRecoveries() async throws(StoreError) -> [RecoveryRecord] {
        try await read { transaction in
            let ids = try transaction.run(
                "SELECT id FROM @recoveries ORDER BY asked_at DESC, id"
            ).rows.map { try $0.requiredText(0) }
            return try ids.compactMap { try PostgresOperations.record($0, transaction) }
        }
    }

    // MARK: Rows

    private static func report(_ row: ResultRow) throws -> StoredReport {
        StoredReport(
            bundleId: BundleId(try row.requiredText(0)), endedAt: try row.time(1),
            isFlawed: try row.bool(2), json: try row.requiredText(3),
            text: try row.requiredText(4))
    }

    private static func record(
        _ id: String, _ transaction: OperationsTransaction
    ) throws -> RecoveryRecord? {
        let slices = try transaction.run(
            """
            SELECT pass, from_at, to_at, place, fetched, is_done FROM @recovery_slices
            WHERE recovery = $1::bytea ORDER BY pass, from_at
            """, id
        ).rows.map { row in
            RecoverySlice(
                pass: try row.int64(0), from: try row.time(1), to: try row.time(2),
                place: row.text(3), fetchedCount: try row.int64(4), isDone: try row.bool(5))
        }
        let row = try transaction.run(
            """
            SELECT asked_at, apple_asked_at, start_position, is_flawed FROM @recoveries
            WHERE id = $1::bytea
            """, id
        ).first
        return try row.map { row in
            RecoveryRecord(
                id: id, requestedAt: try row.time(0), appleRequestedAt: try row.optionalTime(1),
                startPosition: try row.int64(2), isFlawed: try row.bool(3), slices: slices)
        }
    }

    private static func insert(
        _ slices: [RecoverySlice], _ id: String, _ transaction: OperationsTransaction
    ) throws {
        for slice in slices {
            try transaction.run(
                """
                INSERT INTO @recovery_slices (recovery, pass, from_at, to_at)
                VALUES ($1::bytea, $2::bigint, $3::bigint, $4::bigint)
                """, id, slice.pass, slice.from, slice.to)
        }
    }

    private static func note(
        _ id: String, _ appleDate: Timestamp?, _ isFlawed: Bool, _ position: Int64,
        _ transaction: OperationsTransaction
    ) throws {
        // `least` and `greatest` leave NULL out.
        try transaction.run(
            """
            UPDATE @recoveries SET reached_position = greatest(reached_position, $1::bigint),
                is_flawed = is_flawed OR $2::boolean,
                apple_asked_at = least(apple_asked_at, $3::bigint)
            WHERE id = $4::bytea
            """, position, isFlawed, appleDate, id)
    }

    private static func keep(
        _ undelivered: [(name: String, body: String)], _ id: String,
        _ transaction: OperationsTransaction
    ) throws {
        guard !undelivered.isEmpty else { return }
        let count = try transaction.run(
            "SELECT count(*) FROM @recovery_undelivered WHERE recovery = $1::bytea", id
        ).first?.int64(0)
        var room = OperationsLimits.undeliveredCount - Int(count ?? 0)
        for entry in undelivered where room > 0 {
            room -= try transaction.run(
                """
                INSERT INTO @recovery_undelivered (recovery, notification_uuid, body)
                VALUES ($1::bytea, $2::bytea, $3::bytea) ON CONFLICT DO NOTHING
                """, id, entry.name, entry.body
            ).affectedCount
        }
    }

    private static func forget(_ id: String, _ transaction: OperationsTransaction) throws {
        for table in ["recovery_undelivered", "recovery_slices"] {
            try transaction.run("DELETE FROM @\(table) WHERE recovery = $1::bytea", id)
        }
        try transaction.run("DELETE FROM @recoveries WHERE id = $1::bytea", id)
    }
}
