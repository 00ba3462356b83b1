public import AppStore
internal import GRDB
public import LedgerStore

/// Durable cursors of recoveries: an interrupted one continues where it stopped.
extension OperationsStore {
    public func beginRecovery(
        _ id: String, at now: Timestamp, head: Int64, slices: [RecoverySlice],
        keptFor lifetime: Int64
    ) async throws(StoreError) -> RecoveryRecord {
        try await write { database in
            let oldest = now.milliseconds - OperationsLimits.recoveryMilliseconds
            let left = try database.rows(
                """
                SELECT id FROM recoveries
                WHERE asked_at <= ?
                    OR (id = ? AND (reached_position > ? OR asked_at > ? OR asked_at <= ?))
                """, oldest, id, head, now, now.milliseconds - lifetime
            ) { $0.text(0) }
            for id in left { try OperationsStore.forget(id, database) }
            if let known = try OperationsStore.record(id, database) { return known }
            try database.insert(
                into: "recoveries",
                ["id": id, "asked_at": now, "start_position": head, "reached_position": head])
            try OperationsStore.insert(slices, id, database)
            return RecoveryRecord(
                id: id, requestedAt: now, appleRequestedAt: nil, startPosition: head,
                isFlawed: false,
                slices: slices)
        }
    }

    public func advanceRecovery(
        _ id: String, _ slice: RecoverySlice, undelivered: [(name: String, body: String)],
        appleDate: Timestamp?, isFlawed: Bool, position: Int64
    ) async throws(StoreError) {
        try await write { database in
            try database.run(
                """
                UPDATE recovery_slices SET place = ?, fetched = ?, is_done = ?
                WHERE recovery = ? AND pass = ? AND from_at = ?
                """, slice.place, slice.fetchedCount, slice.isDone, id, slice.pass, slice.from)
            try OperationsStore.note(id, appleDate, isFlawed, position, database)
            try OperationsStore.keep(undelivered, id, database)
        }
    }

    public func divideRecovery(
        _ id: String, _ slice: RecoverySlice, into pieces: [RecoverySlice],
        appleDate: Timestamp?, isFlawed: Bool, position: Int64
    ) async throws(StoreError) {
        try await write { database in
            try database.run(
                "DELETE FROM recovery_slices WHERE recovery = ? AND pass = ? AND from_at = ?", id,
                slice.pass, slice.from)
            try OperationsStore.insert(pieces, id, database)
            try OperationsStore.note(id, appleDate, isFlawed, position, database)
        }
    }

    public func recovery(_ id: String) async throws(StoreError) -> RecoveryRecord? {
        try await read { try OperationsStore.record(id, $0) }
    }

    public func undelivered(
        _ id: String
    ) async throws(StoreError) -> [String] {
        try await read { database in
            try database.rows(
                """
                SELECT body FROM recovery_undelivered WHERE recovery = ?
                ORDER BY notification_uuid
                """, id
            ) { $0.text(0) }
        }
    }

    public func endRecovery(
        _ id: String, keeping report: StoredReport?
    ) async throws(StoreError) {
        try await write { database in
            try OperationsStore.forget(id, database)
            guard let report else { return }
            try database.insert(
                into: "recovery_reports",
                [
                    "bundle_id": report.bundleId, "ended_at": report.endedAt,
                    "is_flawed": report.isFlawed, "json": report.json, "text": report.text,
                ])
            try database.run(
                """
                DELETE FROM recovery_reports WHERE id <= (
                    SELECT id FROM recovery_reports ORDER BY id DESC LIMIT 1 OFFSET ?)
                """, OperationsLimits.recoveryReportCount)
        }
    }

    public func lastRecoveryReport(
        of app: BundleId?
    ) async throws(StoreError) -> StoredReport? {
        try await read { database in
            try database.rows(
                """
                SELECT bundle_id, ended_at, is_flawed, json, text FROM recovery_reports
                WHERE ?1 IS NULL OR bundle_id = ?1 ORDER BY id DESC LIMIT 1
                """, app, read: OperationsStore.report
            ).first
        }
    }

    public func recoveryReports() async throws(StoreError) -> [StoredReportEntry] {
        try await read { database in
            try database.rows(
                """
                SELECT id, bundle_id, ended_at, is_flawed FROM recovery_reports ORDER BY id DESC
                """
            ) { row in
                StoredReportEntry(
                    id: row.int64(0), bundleId: BundleId(row.requiredText(1)),
                    endedAt: row.time(2), isFlawed: row.int64(3) == 1)
            }
        }
    }

    public func recoveryReport(_ id: Int64) async throws(StoreError) -> StoredReport? {
        try await read { database in
            try database.rows(
                """
                SELECT bundle_id, ended_at, is_flawed, json, text FROM recovery_reports
                WHERE id = ?
                """, id, read: OperationsStore.report
            ).first
        }
    }

    public func openRecoveries() async throws(StoreError) -> [RecoveryRecord] {
        try await read { database in
            let ids = try database.rows(
                "SELECT id FROM recoveries ORDER BY asked_at DESC, id"
            ) { $0.requiredText(0) }
            return try ids.compactMap { try OperationsStore.record($0, database) }
        }
    }

    // MARK: Rows

    private static func report(_ row: PreparedStatement) -> StoredReport? {
        StoredReport(
            bundleId: BundleId(row.requiredText(0)), endedAt: row.time(1),
            isFlawed: row.int64(2) == 1, json: row.requiredText(3), text: row.requiredText(4))
    }

    private static func record(
        _ id: String, _ database: Database
    ) throws -> RecoveryRecord? {
        let slices = try database.rows(
            """
            SELECT pass, from_at, to_at, place, fetched, is_done FROM recovery_slices
            WHERE recovery = ? ORDER BY pass, from_at
            """, id
        ) { row in
            RecoverySlice(
                pass: row.int64(0), from: row.time(1), to: row.time(2), place: row.text(3),
                fetchedCount: row.int64(4), isDone: row.int64(5) == 1)
        }
        return try database.rows(
            """
            SELECT asked_at, apple_asked_at, start_position, is_flawed FROM recoveries WHERE id = ?
            """, id
        ) { row in
            RecoveryRecord(
                id: id, requestedAt: row.time(0), appleRequestedAt: row.optionalTime(1),
                startPosition: row.int64(2), isFlawed: row.int64(3) == 1, slices: slices)
        }.first
    }

    private static func insert(
        _ slices: [RecoverySlice], _ id: String, _ database: Database
    ) throws {
        for slice in slices {
            try database.insert(
                into: "recovery_slices",
                ["recovery": id, "pass": slice.pass, "from_at": slice.from, "to_at": slice.to])
        }
    }

    private static func note(
        _ id: String, _ appleDate: Timestamp?, _ isFlawed: Bool, _ position: Int64,
        _ database: Database
    ) throws {
        try database.run(
            """
            UPDATE recoveries SET reached_position = max(reached_position, ?1),
                is_flawed = max(is_flawed, ?2),
                apple_asked_at = coalesce(min(apple_asked_at, ?3), apple_asked_at, ?3)
            WHERE id = ?4
            """, position, isFlawed, appleDate, id)
    }

    private static func keep(
        _ undelivered: [(name: String, body: String)], _ id: String, _ database: Database
    ) throws {
        guard !undelivered.isEmpty else { return }
        var room =
            OperationsLimits.undeliveredCount
            - (try Int.fetchOne(
                database, sql: "SELECT count(*) FROM recovery_undelivered WHERE recovery = ?",
                arguments: [id]) ?? 0)
        for entry in undelivered where room > 0 {
            room -= try database.run(
                """
                INSERT OR IGNORE INTO recovery_undelivered
                    (recovery, notification_uuid, body) VALUES (?, ?, ?)
                """, id, entry.name, entry.body)
        }
    }

    private static func forget(_ id: String, _ database: Database) throws {
        for table in ["recovery_undelivered", "recovery_slices"] {
            try database.run("DELETE FROM \(table) WHERE recovery = ?", id)
        }
        try database.run("DELETE FROM recoveries WHERE id = ?", id)
    }
}
