internal import AppStore
internal import Foundation
internal import GRDB
internal import Ledger
internal import Synchronization

/// The sums of a projections file that is built in bulk: each core counts on its own, and what all
/// counted is joined at the end. Memory has a bound: what is more goes to sorted files.
public final class MovementPool: Sendable {
    private let days: ReportDays
    private let directory: String
    private let state = Mutex(State())

    private struct State {
        var idle: [MovementSums] = []
        var cells: [RunFile] = []
        var classes: [RunFile] = []
    }

    /// Cells, and classes, that one core keeps in memory; the rest is sorted on the disk.
    static let cellCount = 250_000

    /// What a core keeps; smaller in tests.
    let keptCount: Int

    init(_ days: ReportDays, directory: String, keptCount: Int = MovementPool.cellCount) {
        self.days = days
        self.directory = directory
        self.keptCount = keptCount
    }

    /// Sums to go on with; whoever takes them brings them back.
    func take() -> MovementSums {
        state.withLock { $0.idle.popLast() } ?? MovementSums(days)
    }

    func give(_ sums: consuming MovementSums) {
        let sums = sums
        state.withLock { $0.idle.append(sums) }
    }

    /// Puts sums that grew beyond the bound on the disk. Blocks.
    func spill() throws(StoreError) {
        try write { max($0.cells.count, $0.classes.count) > keptCount }
    }

    private func write(_ isChosen: (MovementSums) -> Bool) throws(StoreError) {
        let chosen = state.withLock { state -> [MovementSums] in
            let chosen = state.idle.filter(isChosen)
            if !chosen.isEmpty { state.idle.removeAll(where: isChosen) }
            return chosen
        }
        for var sums in chosen {
            let cells = try RunFile.write(
                sorted: MovementPool.records(sums.cells), directory: directory)
            let classes = try RunFile.write(
                sorted: MovementPool.records(sums.classes), directory: directory)
            sums.removeAll()
            let emptied = sums
            state.withLock { state in
                state.cells.append(cells)
                state.classes.append(classes)
                state.idle.append(emptied)
            }
        }
    }

    private static func records(_ cells: [MovementCell: Int64]) -> RunBuffer {
        var buffer = RunBuffer()
        for (cell, count) in cells {
            var (key, value): ([UInt8], [UInt8]) = ([], [])
            for part in [cell.from, cell.before, cell.after, cell.label] {
                RunKey.append(part, to: &key)
            }
            RunKey.append(count, to: &value)
            buffer.append(key: key, value: value)
        }
        return buffer
    }

    private static func records(_ classes: [Int64: ClassUse]) -> RunBuffer {
        var buffer = RunBuffer()
        for (number, use) in classes {
            var (key, value): ([UInt8], [UInt8]) = ([], [])
            RunKey.append(number, to: &key)
            RunKey.append(use.count, to: &value)
            if let counted = use.counted { value += ClassCodec.encode(counted) }
            buffer.append(key: key, value: value)
        }
        return buffer
    }

    // MARK: Loading

    /// Inserts all sums in order of their keys. Blocks.
    func load(_ database: Database) throws {
        try write { _ in true }
        let (cells, classes) = state.withLock { ($0.cells, $0.classes) }
        try load(cells: cells, database)
        try load(classes: classes, database)
    }

    private func load(cells files: [RunFile], _ database: Database) throws {
        var byDay = SumRows(try insert(MovementTable.days, MovementTable.sumColumns, database))
        var byMonth = SumRows(try insert(MovementTable.months, MovementTable.sumColumns, database))
        var calendar = RowBytes()
        var sums = MovementSums(days)
        var (month, lastDay): ([MovementCell: Int64], Int64?) = ([:], nil)
        var (current, count): (MovementCell?, Int64) = (nil, 0)
        func close() throws {
            guard let cell = current, count != 0 else { return }
            try byDay.append(cell, count)
            if cell.from != lastDay, let day = sums.day(from: cell.from) {
                calendar.beginRow()
                MovementTable.bind(day, &calendar)
                lastDay = cell.from
            }
            let sum = sums.month(cell)
            if let begun = month.first?.key.from, begun != sum.from { try byMonth.append(&month) }
            month[sum, default: 0] += count
        }
        var merge = try RunMerge(try RunFile.joined(files, directory: directory))
        while let record = merge.first {
            let parts = (0..<4).map {
                RunKey.int64(record.key, at: $0 * MemoryLayout<Int64>.size)
            }
            let cell = MovementCell(
                from: parts[0], before: parts[1], after: parts[2], label: parts[3])
            if cell != current {
                try close()
                (current, count) = (cell, 0)
            }
            count += RunKey.int64(record.value, at: 0)
            try merge.advance()
        }
        try close()
        try byMonth.append(&month)
        try byDay.finish()
        try byMonth.finish()
        try insert(MovementTable.calendar, MovementTable.calendarColumns, database).run(calendar)
    }

    private func insert(
        _ table: String, _ columns: [String], _ database: Database
    ) throws -> BulkInsert {
        try BulkInsert(database, table: table, columns: columns)
    }

    private func load(classes files: [RunFile], _ database: Database) throws {
        let insert = try insert(MovementTable.classes, MovementTable.classColumns, database)
        var rows = RowBytes()
        var (current, use): (Int64?, ClassUse) = (nil, ClassUse(count: 0))
        func close() {
            guard let number = current, use.count > 0, let counted = use.counted else { return }
            rows.beginRow()
            MovementTable.bind(number, uses: use.count, counted, &rows)
        }
        var merge = try RunMerge(try RunFile.joined(files, directory: directory))
        while let record = merge.first {
            let number = RunKey.int64(record.key, at: 0)
            if number != current {
                close()
                (current, use) = (number, ClassUse(count: 0))
            }
            use.count += RunKey.int64(record.value, at: 0)
            let named = UnsafeRawBufferPointer(
                rebasing: record.value[MemoryLayout<Int64>.size...])
            if use.counted == nil, !named.isEmpty { use.counted = try? ClassCodec.decode(named) }
            if rows.rowCount == BulkInsert.rowsPerRun {
                try insert.run(rows)
                rows.removeAll()
            }
            try merge.advance()
        }
        close()
        try insert.run(rows)
    }
}

/// Rows of sums on their way into one table.
private struct SumRows {
    private let insert: BulkInsert
    private var rows = RowBytes()

    init(_ insert: BulkInsert) { self.insert = insert }

    mutating func append(_ cell: MovementCell, _ count: Int64) throws {
        rows.beginRow()
        MovementTable.bind(cell, count, &rows)
        guard rows.rowCount == BulkInsert.rowsPerRun else { return }
        try finish()
    }

    /// All cells of a month, in order; none are left.
    mutating func append(_ month: inout [MovementCell: Int64]) throws {
        for (cell, count) in month.sorted(by: { MovementCell.precedes($0.key, $1.key) })
        where count != 0 {
            try append(cell, count)
        }
        month.removeAll(keepingCapacity: true)
    }

    mutating func finish() throws {
        try insert.run(rows)
        rows.removeAll()
    }
}
