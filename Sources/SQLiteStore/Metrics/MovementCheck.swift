internal import GRDB
public import LedgerStore
internal import Migrations

/// Sums the stored contributions of a projections file again, independently of the stored sums, and
/// names the tables that differ.
public enum MovementCheck {
    /// The names of the tables that differ. Blocks.
    ///
    /// - Parameters:
    ///   - path: the projections; no process may write them meanwhile.
    ///   - days: those they were built with.
    ///   - directory: for a scratch file as large as their sums.
    public static func findings(
        path: String, days: ReportDays, directory: String
    ) throws(StoreError) -> [String] {
        do {
            let queue = try DatabaseQueue(path: "\(directory)/sums.sqlite")
            defer { try? queue.close() }
            try queue.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
                try database.execute(sql: "ATTACH DATABASE ? AS live", arguments: [path])
            }
            return try queue.write { database in
                try database.execute(sql: DerivedSchema.projections)
                let isNamed = try sum(database, days)
                return try differences(database, isNamed: isNamed)
            }
        } catch {
            throw StoreError(error, path: path).ofDerivedFile(path)
        }
    }

    /// Whether every class that a contribution uses is in the table of classes.
    private static func sum(_ database: Database, _ days: ReportDays) throws -> Bool {
        let classes = try MovementTable.read(database, of: "live")
        var isNamed = true
        var changes = MovementChanges(days)
        func write() throws {
            for number in Array(changes.classes) {
                guard let counted = classes[number] else {
                    isNamed = false
                    continue
                }
                changes.name(NumberedClass(number: number, counted: counted))
            }
            try changes.write(database)
        }
        let select = try PreparedStatement(
            database,
            """
            SELECT \(ContributionRow.columns.joined(separator: ", ")), subscription
            FROM live.contributions ORDER BY subscription
            """)
        defer { select.reset() }
        while try select.step() {
            let row = ContributionRow(select)
            // An unreadable contribution is reported with its chain.
            changes.add(
                of: select.int64(Int32(ContributionRow.columns.count)),
                new: (try? ContributionCodec.movements(row.body)) ?? [], signedAt: row.signedAt)
            if changes.cellCount > MovementChanges.cellCount { try write() }
        }
        try write()
        return isNamed
    }

    private static func differences(_ database: Database, isNamed: Bool) throws -> [String] {
        var found: [String] = []
        let tables = [
            MovementTable.classes, MovementTable.days, MovementTable.months, MovementTable.pending,
            MovementTable.calendar, "newest_fact",
        ]
        for table in tables {
            let differs = try Bool.fetchOne(
                database,
                sql: """
                    SELECT EXISTS (SELECT * FROM main.\(table) EXCEPT SELECT * FROM live.\(table))
                    OR EXISTS (SELECT * FROM live.\(table) EXCEPT SELECT * FROM main.\(table))
                    """)
            if differs == true { found.append(table) }
        }
        let classes = try MovementTable.read(database, of: "live")
        let isRenamed = zip(classes.classes, classes.sortedNumbers).contains {
            ClassCodec.number(of: $0) != $1
        }
        if isRenamed || !isNamed, !found.contains(MovementTable.classes) {
            found.append(MovementTable.classes)
        }
        return found
    }
}
