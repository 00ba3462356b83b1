public import AppStore
internal import GRDB
public import LedgerStore

/// Durable cursors of recoveries: an interrupted one continues where it stopped.
extension OperationsStore {
    /// Recoveries that are not continued are dropped after this time, milliseconds.
    public static let recoveryMilliseconds: Int64 = 7 * 86_400_000
    /// Undeliverable notifications stored per recovery.
    public static let undeliveredCount = 1_000
    /// Reports of recoveries stored.
    public static let recoveryReportCount = 20

    /// The recovery with that name, if it was interrupted and the log still holds what it had
    /// recorded; otherwise a new one.
    ///
    /// - Parameters:
    ///   - head: the end of the log.
    ///   - slices: the slices of a new one.
    ///   - lifetime: how long after its start it can be continued, milliseconds.
    public func beginRecovery(
        _ id: String, at now: Timestamp, head: Int64, slices: [RecoverySlice],
        keptFor lifetime: Int64 = recoveryMilliseconds
    ) async throws(StoreError) -> RecoveryRecord {
        try await write { database in
            let oldest = now.milliseconds - OperationsStore.recoveryMilliseconds
            let left = try String.fetchAll(
                database,
                sql: """
                    SELECT id FROM recoveries
                    WHERE asked_at <= ?
                        OR (id = ? AND (reached_position > ? OR asked_at > ? OR asked_at <= ?))
                    """,
                arguments: [
                    oldest, id, head, now.milliseconds, now.milliseconds - lifetime,
                ])
            for id in left { try OperationsStore.forget(id, database) }
            if let known = try OperationsStore.record(id, database) { return known }
            try database.execute(
                sql: """
                    INSERT INTO recoveries (id, asked_at, start_position, reached_position)
                    VALUES (?, ?, ?, ?)
                    """, arguments: [id, now.milliseconds, head, head])
            try OperationsStore.insert(slices, id, database)
            return RecoveryRecord(
                id: id, askedAt: now, appleAskedAt: nil, startPosition: head, isFlawed: false,
                slices: slices)
        }
    }

    /// Stores the progress through a slice, and the results of its last page.
    ///
    /// - Parameters:
    ///   - undelivered: undeliverable notifications by name.
    ///   - position: the end of the log that includes that page.
    public func advanceRecovery(
        _ id: String, _ slice: RecoverySlice, undelivered: [(name: String, body: String)],
        appleDate: Timestamp?, isFlawed: Bool, position: Int64
    ) async throws(StoreError) {
        try await write { database in
            try database.execute(
                sql: """
                    UPDATE recovery_slices SET place = ?, fetched = ?, is_done = ?
                    WHERE recovery = ? AND pass = ? AND from_at = ?
                    """,
                arguments: [
                    slice.place, slice.fetchedCount, slice.isDone ? 1 : 0, id, slice.pass,
                    slice.from.milliseconds,
                ])
            try OperationsStore.note(id, appleDate, isFlawed, position, database)
            try OperationsStore.keep(undelivered, id, database)
        }
    }

    /// Replaces a slice with smaller ones.
    public func divideRecovery(
        _ id: String, _ slice: RecoverySlice, into pieces: [RecoverySlice],
        appleDate: Timestamp?, isFlawed: Bool, position: Int64
    ) async throws(StoreError) {
        try await write { database in
            try database.execute(
                sql: """
                    DELETE FROM recovery_slices WHERE recovery = ? AND pass = ? AND from_at = ?
                    """, arguments: [id, slice.pass, slice.from.milliseconds])
            try OperationsStore.insert(pieces, id, database)
            try OperationsStore.note(id, appleDate, isFlawed, position, database)
        }
    }

    /// The current state of the recovery; nil when it is unknown, or no longer stored.
    public func recovery(_ id: String) async throws(StoreError) -> RecoveryRecord? {
        try await read { try OperationsStore.record(id, $0) }
    }

    /// The notifications in a recovery's window that Apple could not deliver, by name, and how many
    /// more there were.
    public func undelivered(
        _ id: String
    ) async throws(StoreError) -> [String] {
        try await read { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT body FROM recovery_undelivered WHERE recovery = ?
                    ORDER BY notification_uuid
                    """, arguments: [id])
        }
    }

    /// Removes a finished recovery and stores its report: both, or neither. The newest
    /// `recoveryReportCount` reports are kept.
    ///
    /// - Parameter report: nil when there is nothing to store.
    public func endRecovery(
        _ id: String, keeping report: KeptReport? = nil
    ) async throws(StoreError) {
        try await write { database in
            try OperationsStore.forget(id, database)
            guard let report else { return }
            try database.execute(
                sql: """
                    INSERT INTO recovery_reports (bundle_id, ended_at, is_flawed, json, text)
                    VALUES (?, ?, ?, ?, ?)
                    """,
                arguments: [
                    report.bundleId.rawValue, report.endedAt.milliseconds,
                    report.isFlawed ? 1 : 0, report.json, report.text,
                ])
            try database.execute(
                sql: """
                    DELETE FROM recovery_reports WHERE id <= (
                        SELECT id FROM recovery_reports ORDER BY id DESC LIMIT 1 OFFSET ?)
                    """, arguments: [OperationsStore.recoveryReportCount])
        }
    }

    /// The report of the last recovery that ended here; nil when none is stored.
    ///
    /// - Parameter app: only reports of this app.
    public func lastRecoveryReport(
        of app: BundleId? = nil
    ) async throws(StoreError) -> KeptReport? {
        try await read { database in
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT * FROM recovery_reports WHERE ?1 IS NULL OR bundle_id = ?1
                    ORDER BY id DESC LIMIT 1
                    """, arguments: [app?.rawValue])
            return row.map { row in
                KeptReport(
                    bundleId: BundleId(row["bundle_id"]),
                    endedAt: Timestamp(milliseconds: row["ended_at"]),
                    isFlawed: row["is_flawed"] == 1, json: row["json"], text: row["text"])
            }
        }
    }

    // MARK: Rows

    private static func record(
        _ id: String, _ database: Database
    ) throws -> RecoveryRecord? {
        guard
            let row = try Row.fetchOne(
                database, sql: "SELECT * FROM recoveries WHERE id = ?", arguments: [id])
        else { return nil }
        let slices = try Row.fetchAll(
            database,
            sql: "SELECT * FROM recovery_slices WHERE recovery = ? ORDER BY pass, from_at",
            arguments: [id])
        let apple: Int64? = row["apple_asked_at"]
        return RecoveryRecord(
            id: id, askedAt: Timestamp(milliseconds: row["asked_at"]),
            appleAskedAt: apple.map { Timestamp(milliseconds: $0) },
            startPosition: row["start_position"], isFlawed: row["is_flawed"] == 1,
            slices: slices.map { slice in
                RecoverySlice(
                    pass: slice["pass"], from: Timestamp(milliseconds: slice["from_at"]),
                    to: Timestamp(milliseconds: slice["to_at"]), place: slice["place"],
                    fetchedCount: slice["fetched"], isDone: slice["is_done"] == 1)
            })
    }

    private static func insert(
        _ slices: [RecoverySlice], _ id: String, _ database: Database
    ) throws {
        for slice in slices {
            try database.execute(
                sql: """
                    INSERT INTO recovery_slices (recovery, pass, from_at, to_at)
                    VALUES (?, ?, ?, ?)
                    """,
                arguments: [id, slice.pass, slice.from.milliseconds, slice.to.milliseconds])
        }
    }

    private static func note(
        _ id: String, _ appleDate: Timestamp?, _ isFlawed: Bool, _ position: Int64,
        _ database: Database
    ) throws {
        try database.execute(
            sql: """
                UPDATE recoveries SET reached_position = max(reached_position, ?),
                    is_flawed = max(is_flawed, ?),
                    apple_asked_at = coalesce(min(apple_asked_at, ?), apple_asked_at, ?)
                WHERE id = ?
                """,
            arguments: [
                position, isFlawed ? 1 : 0, appleDate?.milliseconds, appleDate?.milliseconds, id,
            ])
    }

    private static func keep(
        _ undelivered: [(name: String, body: String)], _ id: String, _ database: Database
    ) throws {
        guard !undelivered.isEmpty else { return }
        var room =
            OperationsStore.undeliveredCount
            - (try Int.fetchOne(
                database, sql: "SELECT count(*) FROM recovery_undelivered WHERE recovery = ?",
                arguments: [id]) ?? 0)
        for entry in undelivered where room > 0 {
            try database.execute(
                sql: """
                    INSERT OR IGNORE INTO recovery_undelivered
                        (recovery, notification_uuid, body) VALUES (?, ?, ?)
                    """, arguments: [id, entry.name, entry.body])
            room -= database.changesCount
        }
    }

    private static func forget(_ id: String, _ database: Database) throws {
        for table in ["recovery_undelivered", "recovery_slices"] {
            try database.execute(
                sql: "DELETE FROM \(table) WHERE recovery = ?", arguments: [id])
        }
        try database.execute(sql: "DELETE FROM recoveries WHERE id = ?", arguments: [id])
    }
}
