internal import AppStore
internal import GRDB
internal import Ledger

/// Changes of the movements of chains that are still to be written: of the sums, of the pending
/// movements and of the newest signature. Written in table order, so that each page is visited
/// once.
struct MovementChanges: Sendable {
    /// Changes of the sums by day.
    private var cells: [MovementCell: Int64] = [:]
    private var uses: [Int64: ClassUse] = [:]
    private let days: ReportDays
    private var pending = PendingChanges()
    private var signedAt: Int64?

    /// Changed sums by day that a build in bulk keeps in memory before it writes them. (With two
    /// million events: 500,000 take over 100 MiB more, and are no faster.)
    static let cellCount = 50_000

    init(_ days: ReportDays) { self.days = days }

    /// The number of changed sums by day.
    var cellCount: Int { cells.count }

    /// The numbers of the classes whose uses changed.
    var classes: some Collection<Int64> { uses.keys }

    /// Adds a chain's old and new movements.
    ///
    /// - Parameters:
    ///   - oldSignedAt: when Apple signed the newest fact of the old ones.
    ///   - signedAt: the same of the new ones.
    mutating func add(
        of subscription: Int64, old: [StoredMovement] = [], oldSignedAt: Int64? = nil,
        new: [StoredMovement], signedAt: Int64?
    ) {
        self.signedAt = [self.signedAt, signedAt].compactMap(\.self).max()
        pending.add(of: subscription, old: old, before: oldSignedAt, new: new, after: signedAt)
        // An event nearly always changes the end of a life: earlier movements keep their sums.
        let kept = zip(old, new).prefix { $0 == $1 }.count
        for movement in old[kept...] { add(movement, sign: -1) }
        for movement in new[kept...] { add(movement, sign: 1) }
    }

    private mutating func add(_ movement: StoredMovement, sign: Int64) {
        for number in [movement.before, movement.after] where number != ClassCodec.none {
            uses[number, default: ClassUse(count: 0)].count += sign
        }
        guard let day = days.day(Timestamp(milliseconds: movement.at)) else { return }
        let cell = MovementCell(
            from: day.start.milliseconds, movement: SummedMovement(movement))
        cells[cell, default: 0] += sign
    }

    /// Stores the attributes of a class whose uses changed.
    mutating func name(_ named: NumberedClass) {
        guard let use = uses[named.number], use.counted == nil else { return }
        uses[named.number]?.counted = named.counted
    }

    /// Writes the changes, removes rows that became zero, and starts over.
    mutating func write(_ database: Database) throws {
        try pending.write(database)
        try writeDays(database)
        try writeMonths(database)
        try writeClasses(database)
        try NewestFact.raise(signedAt, database)
        cells.removeAll(keepingCapacity: true)
        uses.removeAll(keepingCapacity: true)
    }

    private func writeDays(_ database: Database) throws {
        let order = cells.lazy.filter { $0.value != 0 }.sorted {
            MovementCell.precedes($0.key, $1.key)
        }
        // Whether a day gained a sum (true) or lost one.
        var changedDays: [Int64: Bool] = [:]
        var rows = RowBytes()
        for (cell, count) in order {
            if count < 0 {
                let removed = try database.run(
                    """
                    DELETE FROM movements_by_day WHERE from_at = ? AND before_class = ?
                        AND after_class = ? AND label = ? AND chains = ?
                    """, cell.from, cell.movement.before, cell.movement.after,
                    cell.movement.label, -count)
                if removed > 0 {
                    changedDays[cell.from] = changedDays[cell.from] ?? false
                    continue
                }
            } else {
                changedDays[cell.from] = true
            }
            rows.beginRow()
            let movement = cell.movement
            let values = [cell.from, movement.before, movement.after, movement.label, count]
            for value in values { rows.append(value) }
        }
        try BulkInsert(
            database, table: MovementTable.days, columns: MovementTable.dayColumns,
            onConflict: "DO UPDATE SET chains = chains + excluded.chains"
        ).run(rows)
        for (from, isGrown) in changedDays.sorted(by: { $0.key < $1.key }) {
            try writeCalendar(from, isGrown: isGrown, database)
        }
    }

    /// A day has a row as long as it has sums.
    private func writeCalendar(
        _ from: Int64, isGrown: Bool, _ database: Database
    ) throws {
        guard isGrown, let day = days.day(Timestamp(milliseconds: from)) else {
            try database.run(
                """
                DELETE FROM report_days WHERE from_at = ?1
                    AND NOT EXISTS (SELECT 1 FROM movements_by_day WHERE from_at = ?1)
                """, from)
            return
        }
        try database.run(
            "INSERT INTO report_days (from_at, to_at, date) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            day.start, day.end, day.date)
    }

    /// The changes by month, each month divided into parts.
    private func months() -> [MonthPart: [SummedMovement: Int64]] {
        var months: [MonthPart: [SummedMovement: Int64]] = [:]
        for (cell, count) in cells where count != 0 {
            let month = days.day(Timestamp(milliseconds: cell.from))?.month.milliseconds
            let part = MonthPart(from: month ?? cell.from, of: cell.movement)
            months[part, default: [:]][cell.movement, default: 0] += count
        }
        return months
    }

    private func writeMonths(_ database: Database) throws {
        for (part, changes) in months().sorted(by: { $0.key < $1.key }) {
            let stored = try database.rows(
                "SELECT sums FROM movements_by_month WHERE from_at = ? AND part = ?", part.from,
                part.number
            ) { $0.bytes(0) }.first
            let body = try MonthPart.body(stored ?? [], changed: changes)
            if body == stored ?? [] { continue }
            if body.isEmpty {
                try database.run(
                    "DELETE FROM movements_by_month WHERE from_at = ? AND part = ?", part.from,
                    part.number)
                continue
            }
            try database.run(
                stored == nil
                    ? "INSERT INTO movements_by_month (from_at, part, sums) VALUES (?1, ?2, ?3)"
                    : "UPDATE movements_by_month SET sums = ?3 WHERE from_at = ?1 AND part = ?2",
                part.from, part.number, body)
        }
    }

    private func writeClasses(_ database: Database) throws {
        let changed = uses.filter { $0.value.count != 0 }.sorted { $0.key < $1.key }
        for (number, use) in changed {
            let updated = try database.run(
                "UPDATE metric_classes SET uses = uses + ?2 WHERE id = ?1", number, use.count)
            if updated == 0, let counted = use.counted {
                try MovementTable.insert(number, uses: use.count, counted, database)
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

/// The key under which movements of many chains are counted: a day and a change of class.
struct MovementCell: Hashable, Sendable {
    /// The start of the day, milliseconds.
    var from: Int64
    var movement: SummedMovement

    static func precedes(_ left: MovementCell, _ right: MovementCell) -> Bool {
        if left.from != right.from { return left.from < right.from }
        return SummedMovement.precedes(left.movement, right.movement)
    }
}

/// The number of changes that use a class, and the class; a class without uses is not stored.
struct ClassUse: Sendable {
    var count: Int64
    /// Nil where only the number is known.
    var counted: CountedClass?
}

/// The changes of pending movements within one transaction, written at its end in table order, so
/// that each page is visited once.
struct PendingChanges: Sendable {
    private struct Key: Hashable, Sendable {
        let at: Int64
        let subscription: Int64
        let seq: Int64
    }

    /// Nil for a movement that is no longer pending.
    private var changes: [Key: StoredMovement?] = [:]

    /// Adds a chain's old and new movements; those due to the clock alone are later than the
    /// chain's newest fact.
    mutating func add(
        of subscription: Int64, old: [StoredMovement], before: Int64?, new: [StoredMovement],
        after: Int64?
    ) {
        let (before, after) = (before ?? .min, after ?? .min)
        for (seq, movement) in old.enumerated() where movement.at > before {
            let isStill = seq < new.count && new[seq] == movement && movement.at > after
            if isStill { continue }
            changes[Key(at: movement.at, subscription: subscription, seq: Int64(seq))] =
                .some(nil)
        }
        for (seq, movement) in new.enumerated() where movement.at > after {
            let wasAlready = seq < old.count && old[seq] == movement && movement.at > before
            if wasAlready { continue }
            changes[Key(at: movement.at, subscription: subscription, seq: Int64(seq))] = movement
        }
    }

    /// Writes the changes and starts over.
    mutating func write(_ database: Database) throws {
        let replace = try PreparedStatement(
            database,
            """
            INSERT OR REPLACE INTO pending_movements
                (at, subscription, seq, before_class, after_class, label)
            VALUES (?, ?, ?, ?, ?, ?)
            """)
        let order = changes.sorted {
            ($0.key.at, $0.key.subscription, $0.key.seq)
                < ($1.key.at, $1.key.subscription, $1.key.seq)
        }
        for (key, movement) in order {
            guard let movement else {
                try database.run(
                    "DELETE FROM pending_movements WHERE at = ? AND subscription = ? AND seq = ?",
                    key.at, key.subscription, key.seq)
                continue
            }
            let values = [
                key.at, key.subscription, key.seq, movement.before, movement.after, movement.label,
            ]
            for (parameter, value) in zip(Int32(1)..., values) { replace.bind(parameter, value) }
            try replace.run()
        }
        changes.removeAll(keepingCapacity: true)
    }
}
