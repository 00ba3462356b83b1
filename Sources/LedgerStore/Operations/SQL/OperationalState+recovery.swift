public import AppStore

/// Durable cursors of recoveries: an interrupted one continues where it stopped.
extension OperationalState {
    /// The recovery with that name, if it was interrupted; otherwise a new one.
    ///
    /// - `start`: of a new one, the end of the log before its first request.
    /// - `log`: the end of the log.
    /// - `slices`: the slices of a new one.
    /// - `lifetime`: how long after its start it can be continued, milliseconds.
    public func beginRecovery(
        _ id: String, at now: Timestamp, start: Int64, log: ProjectionCursor,
        slices: [RecoverySlice], keptFor lifetime: Int64
    ) async throws(StoreError) -> RecoveryRecord {
        try await writeTables(.recovery) { tables in
            let left = try tables.rows(
                """
                SELECT id FROM @recoveries
                WHERE asked_at <= $1::bigint OR (id = $2::bytea AND (asked_at > $3::bigint
                    OR asked_at <= $4::bigint))
                """, now.milliseconds - OperationsLimits.recoveryMilliseconds, id, now,
                now.milliseconds - lifetime
            ) { try $0.requiredText(0) }
            for id in left { try tables.forgetRecovery(id) }
            if let known = try tables.recovery(id) { return known }
            try tables.insert(
                into: "recoveries",
                [
                    "id": id, "asked_at": now, "start_position": start,
                    "reached_position": log.position, "reached_leaf": log.leafHash,
                ])
            try tables.insert(slices, of: id)
            return RecoveryRecord(
                id: id, requestedAt: now, appleRequestedAt: nil, startPosition: start,
                reached: log, isFlawed: false, slices: slices)
        }
    }

    /// Stores the progress through a slice, and the results of its last page.
    ///
    /// - `undelivered`: undeliverable notifications by name.
    /// - `log`: the end of the log that includes that page.
    public func advanceRecovery(
        _ id: String, _ slice: RecoverySlice, undelivered: [(name: String, body: String)],
        appleDate: Timestamp?, isFlawed: Bool, log: ProjectionCursor
    ) async throws(StoreError) {
        try await writeTables(.recovery) { tables in
            try tables.execute(
                """
                UPDATE @recovery_slices
                SET place = $1::bytea, fetched = $2::bigint, is_done = $3::boolean
                WHERE recovery = $4::bytea AND pass = $5::bigint AND from_at = $6::bigint
                """, slice.place, slice.fetchedCount, slice.isDone, id, slice.pass, slice.from)
            try tables.noteRecovery(id, appleDate, isFlawed, log)
            try tables.keep(undelivered, of: id)
        }
    }

    /// Replaces a slice with smaller ones.
    public func divideRecovery(
        _ id: String, _ slice: RecoverySlice, into pieces: [RecoverySlice],
        appleDate: Timestamp?, isFlawed: Bool, log: ProjectionCursor
    ) async throws(StoreError) {
        try await writeTables(.recovery) { tables in
            try tables.execute(
                """
                DELETE FROM @recovery_slices
                WHERE recovery = $1::bytea AND pass = $2::bigint AND from_at = $3::bigint
                """, id, slice.pass, slice.from)
            try tables.insert(pieces, of: id)
            try tables.noteRecovery(id, appleDate, isFlawed, log)
        }
    }

    /// The current state of the recovery; nil when it is unknown, or no longer stored.
    public func recovery(_ id: String) async throws(StoreError) -> RecoveryRecord? {
        try await readTables { try $0.recovery(id) }
    }

    /// The notifications in a recovery's window that Apple could not deliver, by name; the first
    /// `OperationsLimits.undeliveredCount`.
    public func undelivered(_ id: String) async throws(StoreError) -> [String] {
        try await rows(
            """
            SELECT body FROM @recovery_undelivered WHERE recovery = $1::bytea
            ORDER BY notification_uuid
            """, id
        ) { try $0.requiredText(0) }
    }

    /// Removes a finished recovery and stores its report: both, or neither. The newest
    /// `OperationsLimits.recoveryReportCount` reports are kept.
    ///
    /// `erase` removes the reports that name its ids. A caller that reads `erasureCount` before the
    /// state that it reports stores nothing of erased persons: `erase` precedes that read, or it
    /// precedes this call, which is then refused, or it follows and removes the report.
    ///
    /// - Parameters:
    ///   - id: of the recovery.
    ///   - report: nil when there is nothing to store.
    ///   - count: `erasureCount` before the state that the report is of; nil: the report names no
    ///     person.
    /// - Returns: false where `erase` was called since, and nothing was changed.
    @discardableResult
    public func endRecovery(
        _ id: String, keeping report: StoredReport? = nil, erasures count: Int64? = nil
    ) async throws(StoreError) -> Bool {
        try await writeTables(.recovery) { tables in
            if report != nil, let count {
                guard try tables.holdErasures(at: count) else { return false }
            }
            try tables.forgetRecovery(id)
            guard let report else { return true }
            _ = try tables.insertNumbered(
                into: "recovery_reports", .recovery,
                [
                    "bundle_id": report.bundleId, "ended_at": report.endedAt,
                    "is_flawed": report.isFlawed, "json": report.json, "text": report.text,
                ])
            try tables.execute(
                """
                DELETE FROM @recovery_reports WHERE id <= (
                    SELECT id FROM @recovery_reports ORDER BY id DESC LIMIT 1 OFFSET $1::bigint)
                """, OperationsLimits.recoveryReportCount)
            return true
        }
    }

    /// The report of the last recovery that ended here; nil when none is stored.
    ///
    /// - Parameter app: only reports of this app.
    public func lastRecoveryReport(of app: BundleId?) async throws(StoreError) -> StoredReport? {
        try await storedReport(
            "$1::bytea IS NULL OR bundle_id = $1::bytea ORDER BY id DESC LIMIT 1", app)
    }

    /// The stored reports without their contents, newest first.
    public func recoveryReports() async throws(StoreError) -> [StoredReportEntry] {
        try await rows(
            """
            SELECT id, bundle_id, ended_at, is_flawed FROM @recovery_reports ORDER BY id DESC
            """
        ) { row in
            StoredReportEntry(
                id: try row.int64(0), bundleId: BundleId(try row.requiredText(1)),
                endedAt: try row.time(2), isFlawed: try row.bool(3))
        }
    }

    /// One stored report; nil when it is no longer stored.
    public func recoveryReport(_ id: Int64) async throws(StoreError) -> StoredReport? {
        try await storedReport("id = $1::bigint", id)
    }

    private func storedReport(
        _ condition: String, _ value: (any BoundValue)?
    ) async throws(StoreError) -> StoredReport? {
        try await rows(
            """
            SELECT bundle_id, ended_at, is_flawed, json, text FROM @recovery_reports
            WHERE \(condition)
            """, value
        ) { row in
            StoredReport(
                bundleId: BundleId(try row.requiredText(0)), endedAt: try row.time(1),
                isFlawed: try row.bool(2), json: try row.requiredText(3),
                text: try row.requiredText(4))
        }.first
    }

    /// Recoveries that have begun and not ended, newest first: they are running, or were
    /// interrupted and can be continued.
    public func openRecoveries() async throws(StoreError) -> [RecoveryRecord] {
        try await readTables { tables in
            let ids = try tables.rows("SELECT id FROM @recoveries ORDER BY asked_at DESC, id") {
                try $0.requiredText(0)
            }
            return try ids.compactMap { try tables.recovery($0) }
        }
    }
}

extension SQLTables {
    fileprivate func recovery(_ id: String) throws -> RecoveryRecord? {
        let slices = try rows(
            """
            SELECT pass, from_at, to_at, place, fetched, is_done FROM @recovery_slices
            WHERE recovery = $1::bytea ORDER BY pass, from_at
            """, id
        ) { row in
            RecoverySlice(
                pass: try row.int64(0), from: try row.time(1), to: try row.time(2),
                place: row.text(3), fetchedCount: try row.int64(4), isDone: try row.bool(5))
        }
        return try rows(
            """
            SELECT asked_at, apple_asked_at, start_position, reached_position, reached_leaf,
                is_flawed
            FROM @recoveries WHERE id = $1::bytea
            """, id
        ) { row in
            RecoveryRecord(
                id: id, requestedAt: try row.time(0), appleRequestedAt: try row.optionalTime(1),
                startPosition: try row.int64(2),
                reached: ProjectionCursor(position: try row.int64(3), leafHash: row.digest(4)),
                isFlawed: try row.bool(5), slices: slices)
        }.first
    }

    fileprivate func insert(_ slices: [RecoverySlice], of id: String) throws {
        for slice in slices {
            try insert(
                into: "recovery_slices",
                ["recovery": id, "pass": slice.pass, "from_at": slice.from, "to_at": slice.to])
        }
    }

    fileprivate func noteRecovery(
        _ id: String, _ appleDate: Timestamp?, _ isFlawed: Bool, _ log: ProjectionCursor
    ) throws {
        // With a NULL, `least` is NULL in SQLite and the other value in PostgreSQL.
        try execute(
            """
            UPDATE @recoveries SET
                reached_leaf = CASE WHEN reached_position < $1::bigint THEN $2::bytea
                    ELSE reached_leaf END,
                reached_position = greatest(reached_position, $1::bigint),
                is_flawed = is_flawed OR $3::boolean,
                apple_asked_at = coalesce(
                    least(apple_asked_at, $4::bigint), apple_asked_at, $4::bigint)
            WHERE id = $5::bytea
            """, log.position, log.leafHash, isFlawed, appleDate, id)
    }

    fileprivate func keep(
        _ undelivered: [(name: String, body: String)], of id: String
    ) throws {
        guard !undelivered.isEmpty else { return }
        let count = try rows(
            "SELECT count(*) FROM @recovery_undelivered WHERE recovery = $1::bytea", id
        ) { Int(try $0.int64(0)) }.first
        var room = OperationsLimits.undeliveredCount - (count ?? 0)
        for entry in undelivered where room > 0 {
            room -= try execute(
                """
                INSERT INTO @recovery_undelivered (recovery, notification_uuid, body)
                VALUES ($1::bytea, $2::bytea, $3::bytea) ON CONFLICT DO NOTHING
                """, id, entry.name, entry.body)
        }
    }

    fileprivate func forgetRecovery(_ id: String) throws {
        for table in ["recovery_undelivered", "recovery_slices"] {
            try execute("DELETE FROM @\(table) WHERE recovery = $1::bytea", id)
        }
        try execute("DELETE FROM @recoveries WHERE id = $1::bytea", id)
    }
}
