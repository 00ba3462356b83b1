internal import AppStore
internal import GRDB
internal import Ledger

/// Updates contributions and the sums derived from them within one transaction: for each chain,
/// only the difference between its old and its new row.
struct MovementWriter {
    private let database: Database
    private var sums: MovementSums
    private var pending = PendingChanges()
    private(set) var written = 0
    private var signedAt: Int64?

    private let select: PreparedStatement
    private let update: PreparedStatement
    private let insert: PreparedStatement

    init(_ database: Database, _ days: ReportDays) throws {
        self.database = database
        sums = MovementSums(days)
        let columns = ContributionRow.columns
        let names = columns.joined(separator: ", ")
        select = try PreparedStatement(
            database, "SELECT \(names) FROM contributions WHERE subscription = ?")
        let values = columns.enumerated().map { "\($0.element) = ?\($0.offset + 2)" }
        update = try PreparedStatement(
            database,
            "UPDATE contributions SET \(values.joined(separator: ", ")) WHERE subscription = ?1")
        insert = try PreparedStatement(
            database,
            """
            INSERT INTO contributions (subscription, \(names))
            VALUES (?1\(columns.map { _ in ", ?" }.joined()))
            """)
    }

    /// Writes the next chain's row; the sums are updated by `finish`.
    mutating func write(
        _ row: ContributionRow, _ reported: ChainMovements, _ subscription: Int64
    ) throws {
        select.bind(1, subscription)
        let stored = try select.step() ? ContributionRow(select) : nil
        select.reset()
        signedAt = [signedAt, row.signedAt].compactMap(\.self).max()
        guard stored != row else { return }
        try write(row, subscription, isThere: stored != nil)
        let (old, new) = (try stored.map { try movements($0) } ?? [], reported.movements)
        pending.add(
            of: subscription, old: old, before: stored?.signedAt, new: new, after: row.signedAt)
        // An event nearly always changes the end of a life: earlier movements keep their sums.
        let kept = zip(old, new).prefix { $0 == $1 }.count
        guard kept < max(old.count, new.count) else { return }
        for movement in old[kept...] { sums.add(movement, sign: -1) }
        for movement in new[kept...] { sums.add(movement, sign: 1) }
        for named in reported.classes { sums.name(named) }
    }

    private mutating func write(
        _ row: ContributionRow, _ subscription: Int64, isThere: Bool
    ) throws {
        var statement = isThere ? update : insert
        statement.bind(1, subscription)
        row.bind(&statement)
        written += try statement.run()
    }

    private func movements(_ row: ContributionRow) throws -> [StoredMovement] {
        do throws(FactReader.Damage) { return try ContributionCodec.movements(row.body) } catch {
            throw DatabaseError(
                resultCode: .SQLITE_CORRUPT, message: "A stored contribution cannot be read.")
        }
    }

    // MARK: Sums

    /// Writes the changed sums and removes rows that became zero. Returns the number of rows
    /// written.
    mutating func finish() throws -> Int {
        written += try pending.write(database)
        try writeDays()
        try writeMonths()
        try writeClasses()
        try NewestFact.raise(signedAt, database)
        return written
    }

    private mutating func writeDays() throws {
        let order = sums.cells.filter { $0.value != 0 }.sorted {
            MovementCell.precedes($0.key, $1.key)
        }
        // Whether a day gained a sum (true) or lost one.
        var days: [Int64: Bool] = [:]
        var delete = try PreparedStatement(
            database,
            """
            DELETE FROM movements_by_day WHERE from_at = ? AND before_class = ?
                AND after_class = ? AND label = ? AND chains = ?
            """)
        var upsert = try PreparedStatement(
            database,
            """
            INSERT INTO movements_by_day (\(MovementTable.dayColumns.joined(separator: ", ")))
            VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET chains = chains + ?5
            """)
        for (cell, count) in order {
            if count < 0 {
                MovementTable.bind(cell, -count, &delete)
                let removed = try delete.run()
                written += removed
                if removed > 0 {
                    days[cell.from] = days[cell.from] ?? false
                    continue
                }
            } else {
                days[cell.from] = true
            }
            MovementTable.bind(cell, count, &upsert)
            written += try upsert.run()
        }
        for (from, isGrown) in days.sorted(by: { $0.key < $1.key }) {
            try writeCalendar(from, isGrown: isGrown)
        }
    }

    /// A day has a row as long as it has sums.
    private mutating func writeCalendar(_ from: Int64, isGrown: Bool) throws {
        guard isGrown, let day = sums.day(from: from) else {
            written += try database.run(
                """
                DELETE FROM report_days WHERE from_at = ?1
                    AND NOT EXISTS (SELECT 1 FROM movements_by_day WHERE from_at = ?1)
                """, from)
            return
        }
        var insert = try PreparedStatement(
            database,
            "INSERT INTO report_days (from_at, to_at, date) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        )
        MovementTable.bind(day, &insert)
        written += try insert.run()
    }

    private mutating func writeMonths() throws {
        let select = try PreparedStatement(
            database, "SELECT sums FROM movements_by_month WHERE from_at = ? AND part = ?")
        defer { select.reset() }
        for (part, changes) in sums.months().sorted(by: { $0.key < $1.key }) {
            select.bind(1, part.from)
            select.bind(2, part.number)
            let isThere = try select.step()
            let stored = isThere ? select.bytes(0) : []
            select.reset()
            let body = try MovementWriter.sums(stored, changed: changes)
            if body == stored { continue }
            if body.isEmpty {
                written += try database.run(
                    "DELETE FROM movements_by_month WHERE from_at = ? AND part = ?", part.from,
                    part.number)
                continue
            }
            var statement = try PreparedStatement(
                database,
                isThere
                    ? "UPDATE movements_by_month SET sums = ?3 WHERE from_at = ?1 AND part = ?2"
                    : "INSERT INTO movements_by_month (from_at, part, sums) VALUES (?1, ?2, ?3)")
            MovementTable.bind(part, body, &statement)
            written += try statement.run()
        }
    }

    private static func sums(
        _ stored: [UInt8], changed changes: [SummedMovement: Int64]
    ) throws -> [UInt8] {
        do throws(FactReader.Damage) {
            return try MonthPart.body(stored, changed: changes)
        } catch {
            throw DatabaseError(
                resultCode: .SQLITE_CORRUPT, message: "Stored sums cannot be read.")
        }
    }

    private mutating func writeClasses() throws {
        let changed = sums.classes.filter { $0.value.count != 0 }.sorted { $0.key < $1.key }
        for (number, use) in changed {
            let updated = try database.run(
                "UPDATE metric_classes SET uses = uses + ?2 WHERE id = ?1", number, use.count)
            if updated == 0, let counted = use.counted {
                let places = MovementTable.classColumns.map { _ in "?" }.joined(separator: ", ")
                var insert = try PreparedStatement(
                    database,
                    """
                    INSERT INTO metric_classes
                    (\(MovementTable.classColumns.joined(separator: ", "))) VALUES (\(places))
                    """)
                MovementTable.bind(number, uses: use.count, counted, &insert)
                written += try insert.run()
            } else if use.count < 0 {
                try database.run("DELETE FROM metric_classes WHERE id = ? AND uses = 0", number)
            }
        }
    }
}

/// When Apple signed the newest of all facts: later movements are due to the clock alone.
enum NewestFact {
    static func raise(_ signedAt: Int64?, _ database: Database) throws {
        guard let signedAt else { return }
        try database.run(
            """
            INSERT INTO newest_fact (id, signed_at) VALUES (1, ?1)
            ON CONFLICT DO UPDATE SET signed_at = ?1 WHERE signed_at < ?1
            """, signedAt)
    }

    static func signedAt(_ database: Database) throws -> Int64? {
        try Int64.fetchOne(database, sql: "SELECT signed_at FROM newest_fact WHERE id = 1")
    }
}
