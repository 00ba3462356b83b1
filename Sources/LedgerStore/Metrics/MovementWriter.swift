internal import AppStore
internal import GRDB
internal import Ledger

/// Brings contributions, and the sums made of them, to what they should be within one transaction: of
/// each chain only what its old and its new row do not share.
struct MovementWriter {
    private let database: Database
    private var sums: MovementSums
    private(set) var written = 0
    private var signedAt: Int64?

    init(_ database: Database, _ days: ReportDays) {
        self.database = database
        sums = MovementSums(days)
    }

    /// Takes the next chain's row; its sums change with `finish`.
    mutating func write(
        _ row: ContributionRow, _ told: ChainMovements, _ subscription: Int64
    ) throws {
        let select = try BoundStatement(
            database,
            """
            SELECT \(ContributionRow.columns.joined(separator: ", ")) FROM contributions
            WHERE subscription = ?
            """)
        select.bind(1, subscription)
        let stored = try select.step() ? ContributionRow(select) : nil
        select.reset()
        signedAt = [signedAt, row.signedAt].compactMap(\.self).max()
        guard stored != row else { return }
        var replace = try BoundStatement(
            database,
            """
            INSERT OR REPLACE INTO contributions
                (subscription, \(ContributionRow.columns.joined(separator: ", ")))
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        replace.bind(1, subscription)
        row.bind(&replace)
        written += try replace.run()
        let (old, new) = (try stored.map { try movements($0) } ?? [], told.movements)
        try writePending(
            Set(pending(old, stored?.signedAt)), Set(pending(new, row.signedAt)), subscription)
        guard old != new else { return }
        for movement in old { sums.add(movement, sign: -1) }
        for movement in new { sums.add(movement, sign: 1) }
        for named in told.classes { sums.name(named) }
    }

    private func movements(_ row: ContributionRow) throws -> [StoredMovement] {
        do throws(FactReader.Damage) { return try ContributionCodec.movements(row.body) } catch {
            throw DatabaseError(
                resultCode: .SQLITE_CORRUPT, message: "A stored contribution cannot be read.")
        }
    }

    // MARK: Pending

    struct Pending: Hashable {
        let seq: Int64
        let movement: StoredMovement
    }

    /// Those that the clock alone brings about.
    private func pending(_ movements: [StoredMovement], _ signedAt: Int64?) -> [Pending] {
        movements.enumerated().filter { $0.element.at > signedAt ?? .min }.map {
            Pending(seq: Int64($0.offset), movement: $0.element)
        }
    }

    private mutating func writePending(
        _ old: Set<Pending>, _ new: Set<Pending>, _ subscription: Int64
    ) throws {
        for gone in old.subtracting(new) {
            let delete = try BoundStatement(
                database,
                "DELETE FROM pending_movements WHERE at = ? AND subscription = ? AND seq = ?")
            delete.bind(1, gone.movement.at)
            delete.bind(2, subscription)
            delete.bind(3, gone.seq)
            written += try delete.run()
        }
        for added in new.subtracting(old) {
            let insert = try BoundStatement(
                database,
                """
                INSERT OR REPLACE INTO pending_movements
                    (\(MovementTable.pendingColumns.joined(separator: ", ")))
                VALUES (?, ?, ?, ?, ?, ?)
                """)
            insert.bind(1, added.movement.at)
            insert.bind(2, subscription)
            insert.bind(3, added.seq)
            insert.bind(4, added.movement.before)
            insert.bind(5, added.movement.after)
            insert.bind(6, added.movement.label)
            written += try insert.run()
        }
    }

    // MARK: Sums

    /// Writes what the chains changed in the sums; rows that come to nothing are removed. The
    /// number of rows written.
    mutating func finish() throws -> Int {
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
        // Whether a day got a sum, or lost one.
        var days: [Int64: Bool] = [:]
        for (cell, count) in order {
            if count < 0 {
                var delete = try BoundStatement(
                    database,
                    """
                    DELETE FROM movements_by_day WHERE from_at = ? AND before_class = ?
                        AND after_class = ? AND label = ? AND chains = ?
                    """)
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
            var upsert = try BoundStatement(
                database,
                """
                INSERT INTO movements_by_day
                    (\(MovementTable.dayColumns.joined(separator: ", ")))
                VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET chains = chains + ?5
                """)
            MovementTable.bind(cell, count, &upsert)
            written += try upsert.run()
        }
        for (from, isGrown) in days.sorted(by: { $0.key < $1.key }) {
            try writeCalendar(from, isGrown: isGrown)
        }
    }

    /// Days have a row for as long as they have sums.
    private mutating func writeCalendar(_ from: Int64, isGrown: Bool) throws {
        guard isGrown, let day = sums.day(from: from) else {
            let delete = try BoundStatement(
                database,
                """
                DELETE FROM report_days WHERE from_at = ?1
                    AND NOT EXISTS (SELECT 1 FROM movements_by_day WHERE from_at = ?1)
                """)
            delete.bind(1, from)
            written += try delete.run()
            return
        }
        var insert = try BoundStatement(
            database,
            "INSERT INTO report_days (from_at, to_at, date) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        )
        MovementTable.bind(day, &insert)
        written += try insert.run()
    }

    private mutating func writeMonths() throws {
        for (part, changes) in sums.months().sorted(by: { $0.key < $1.key }) {
            let select = try BoundStatement(
                database, "SELECT sums FROM movements_by_month WHERE from_at = ? AND part = ?")
            select.bind(1, part.from)
            select.bind(2, part.number)
            let stored = try select.step() ? select.bytes(0) : nil
            select.reset()
            var sums = try MovementWriter.sums(stored ?? [])
            sums.merge(changes, uniquingKeysWith: +)
            guard let body = MonthPart.body(sums) else {
                let delete = try BoundStatement(
                    database, "DELETE FROM movements_by_month WHERE from_at = ? AND part = ?")
                delete.bind(1, part.from)
                delete.bind(2, part.number)
                written += try delete.run()
                continue
            }
            guard body != stored else { continue }
            var replace = try BoundStatement(
                database,
                "INSERT OR REPLACE INTO movements_by_month (from_at, part, sums) VALUES (?, ?, ?)")
            MovementTable.bind(part, body, &replace)
            written += try replace.run()
        }
    }

    private static func sums(_ body: [UInt8]) throws -> [SummedMovement: Int64] {
        var sums: [SummedMovement: Int64] = [:]
        let result = body.withUnsafeBytes { bytes in
            Result { () throws(FactReader.Damage) in
                try SumCodec.forEach(bytes) { sums[$0] = $1 }
            }
        }
        guard case .success = result else {
            throw DatabaseError(
                resultCode: .SQLITE_CORRUPT, message: "Stored sums cannot be read.")
        }
        return sums
    }

    private mutating func writeClasses() throws {
        let changed = sums.classes.filter { $0.value.count != 0 }.sorted { $0.key < $1.key }
        for (number, use) in changed {
            let update = try BoundStatement(
                database, "UPDATE metric_classes SET uses = uses + ?2 WHERE id = ?1")
            update.bind(1, number)
            update.bind(2, use.count)
            if try update.run() == 0, let counted = use.counted {
                let places = MovementTable.classColumns.map { _ in "?" }.joined(separator: ", ")
                var insert = try BoundStatement(
                    database,
                    """
                    INSERT INTO metric_classes
                    (\(MovementTable.classColumns.joined(separator: ", "))) VALUES (\(places))
                    """)
                MovementTable.bind(number, uses: use.count, counted, &insert)
                written += try insert.run()
            } else if use.count < 0 {
                let delete = try BoundStatement(
                    database, "DELETE FROM metric_classes WHERE id = ? AND uses = 0")
                delete.bind(1, number)
                _ = try delete.run()
            }
        }
    }
}

/// When Apple signed the newest of all facts: from then on only the clock moves anything.
enum NewestFact {
    static func raise(_ signedAt: Int64?, _ database: Database) throws {
        guard let signedAt else { return }
        let raise = try BoundStatement(
            database,
            """
            INSERT INTO newest_fact (id, signed_at) VALUES (1, ?1)
            ON CONFLICT DO UPDATE SET signed_at = ?1 WHERE signed_at < ?1
            """)
        raise.bind(1, signedAt)
        _ = try raise.run()
    }

    static func signedAt(_ database: Database) throws -> Int64? {
        try Int64.fetchOne(database, sql: "SELECT signed_at FROM newest_fact WHERE id = 1")
    }
}
