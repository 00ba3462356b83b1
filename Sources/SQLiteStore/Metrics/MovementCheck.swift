internal import AppStore
internal import GRDB
internal import Ledger
public import LedgerStore
internal import Migrations

/// Sums the stored contributions of a projections file again, independently of the stored sums, and
/// names the tables that differ.
public struct MovementCheck: Sendable {
    private let path: String
    private let days: ReportDays
    private let directory: String

    /// - Parameters:
    ///   - path: the projections; no process may write them meanwhile.
    ///   - days: those they were built with.
    ///   - directory: for a scratch file as large as their sums.
    public init(path: String, days: ReportDays, directory: String) {
        self.path = path
        self.days = days
        self.directory = directory
    }

    /// The names of the tables that differ. Blocks.
    public func findings() throws(StoreError) -> [String] {
        do {
            let queue = try DatabaseQueue(path: "\(directory)/sums.sqlite")
            defer { try? queue.close() }
            try queue.writeWithoutTransaction { database in
                try database.execute(sql: "ATTACH DATABASE ? AS live", arguments: [path])
            }
            return try queue.write { database in
                try database.execute(sql: DerivedSchema.projections)
                try sum(database)
                return try differences(database)
            }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    private func sum(_ database: Database) throws {
        let pool = MovementPool(days, directory: directory)
        let pending = DeferredTable(directory: directory)
        var sums = pool.take()
        try MovementTable.forEachClass(database, of: "live") { number, _, counted in
            sums.add(NumberedClass(number: number, counted: counted))
        }
        let select = try PreparedStatement(
            database,
            """
            SELECT \(ContributionRow.columns.joined(separator: ", ")), subscription
            FROM live.contributions ORDER BY subscription
            """)
        defer { select.reset() }
        var signedAt: Int64?
        while try select.step() {
            let row = ContributionRow(select)
            let subscription = select.int64(Int32(ContributionRow.columns.count))
            if let date = row.signedAt { signedAt = max(signedAt ?? date, date) }
            // An unreadable contribution is reported with its chain.
            let movements = (try? ContributionCodec.movements(row.body)) ?? []
            var records = RunBuffer()
            for (seq, movement) in movements.enumerated() {
                sums.add(movement)
                for number in [movement.before, movement.after] where number != ClassCodec.none {
                    sums.use(number)
                }
                guard movement.at > row.signedAt ?? .min else { continue }
                records.appendPending(movement, of: subscription, seq: seq)
            }
            try pending.append(records)
            if sums.cells.count > pool.keptCount {
                pool.give(sums)
                try pool.spill()
                sums = pool.take()
            }
        }
        pool.give(sums)
        try pool.load(database)
        try pending.loadPending(database)
        try NewestFact.raise(signedAt, database)
    }

    private func differences(_ database: Database) throws -> [String] {
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
        var isRenamed = false
        try MovementTable.forEachClass(database, of: "live") { number, _, counted in
            if ClassCodec.number(of: counted) != number { isRenamed = true }
        }
        if isRenamed, !found.contains(MovementTable.classes) {
            found.append(MovementTable.classes)
        }
        return found
    }
}

extension RunBuffer {
    /// Appends a pending movement, ordered by its time, then by the chain's number and its index in
    /// the chain.
    mutating func appendPending(_ movement: StoredMovement, of subscription: Int64, seq: Int) {
        var (key, value): ([UInt8], [UInt8]) = ([], [])
        for part in [movement.at, subscription, Int64(seq)] { RunKey.append(part, to: &key) }
        for part in [movement.before, movement.after, movement.label] {
            RunKey.append(part, to: &value)
        }
        append(key: key, value: value)
    }
}
