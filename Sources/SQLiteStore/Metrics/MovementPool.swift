internal import AppStore
internal import Foundation
internal import GRDB
internal import Ledger
internal import LedgerStore
internal import Synchronization

/// The sums of a projections file that is built in bulk: each core collects separately, and the
/// results are merged at the end. Memory is bounded: the excess goes to sorted files.
public final class MovementPool: Sendable {
    private let days: ReportDays
    private let directory: String
    private let state = Mutex(State())

    private struct State {
        var idle: [MovementCollector] = []
        var cells: [RunFile] = []
        var classes: [RunFile] = []
    }

    /// Movements, and classes, that one core keeps in memory; the rest is sorted on disk.
    static let cellCount = 100_000

    /// The limit of each core; smaller in tests.
    let keptCount: Int

    init(_ days: ReportDays, directory: String, keptCount: Int = MovementPool.cellCount) {
        self.days = days
        self.directory = directory
        self.keptCount = keptCount
    }

    /// An idle or new collector; the caller must return it with `give`.
    func take() -> MovementCollector {
        state.withLock { $0.idle.popLast() } ?? MovementCollector(days)
    }

    func give(_ sums: consuming MovementCollector) {
        var sums = sums
        // Sorted by the calling core, in parallel with others.
        if sums.cells.count > keptCount { sums.sort() }
        let whole = sums
        state.withLock { $0.idle.append(whole) }
    }

    /// Writes collectors beyond the limit to disk. Blocks.
    func spill() throws(StoreError) {
        try write { max($0.cells.count, $0.classes.count) > keptCount }
    }

    private func write(_ isChosen: (MovementCollector) -> Bool) throws(StoreError) {
        let chosen = state.withLock { state -> [MovementCollector] in
            let chosen = state.idle.filter(isChosen)
            if !chosen.isEmpty { state.idle.removeAll(where: isChosen) }
            return chosen
        }
        for var sums in chosen {
            sums.sort()
            let cells = try MovementPool.run(sums.cells, directory: directory)
            let classes = try RunFile.write(
                sorted: MovementPool.records(sums.classes), directory: directory)
            state.withLock { state in
                state.cells.append(cells)
                state.classes.append(classes)
            }
        }
    }

    /// Writes sorted cells to disk, with equal ones counted.
    private static func run(
        _ cells: [MovementCell], directory: String
    ) throws(StoreError) -> RunFile {
        var writer = try RunWriter(directory: directory)
        var (key, value): ([UInt8], [UInt8]) = ([], [])
        var start = 0
        while start < cells.count {
            let cell = cells[start]
            var end = start + 1
            while end < cells.count, cells[end] == cell { end += 1 }
            key.removeAll(keepingCapacity: true)
            value.removeAll(keepingCapacity: true)
            RunKey.append(cell.from, to: &key)
            RunKey.append(cell.movement.before, to: &key)
            RunKey.append(cell.movement.after, to: &key)
            RunKey.append(cell.movement.label, to: &key)
            RunKey.append(Int64(end - start), to: &value)
            try writer.append(key: key, value: value)
            start = end
        }
        return try writer.finish()
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
        let days = try BulkInsert(
            database, table: MovementTable.days, columns: MovementTable.dayColumns)
        let months = try BulkInsert(
            database, table: MovementTable.months, columns: MovementTable.monthColumns)
        let calendar = try BulkInsert(
            database, table: MovementTable.calendar, columns: MovementTable.calendarColumns)
        let merge = Mutex(
            SumMerge(try RunMerge(try RunFile.joined(files, directory: directory)), self.days))
        let pieces = Prefetcher { () throws(StoreError) in
            try merge.withLock { (merge) throws(StoreError) in try merge.next() }
        }
        while let rows = try pieces.next() {
            try days.run(rows.days)
            try months.run(rows.months)
            try calendar.run(rows.calendar)
        }
    }

    private func load(classes files: [RunFile], _ database: Database) throws {
        let insert = try BulkInsert(
            database, table: MovementTable.classes, columns: MovementTable.classColumns)
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

/// Converts sorted cells into rows, in batches.
private struct SumMerge {
    private var merge: RunMerge
    private var rows: SumRows
    private var (current, count): (MovementCell?, Int64) = (nil, 0)

    /// Rows of days produced while as many are inserted.
    private static let pieceRowCount = 64 * BulkInsert.rowsPerRun

    init(_ merge: RunMerge, _ days: ReportDays) {
        self.merge = merge
        rows = SumRows(days)
    }

    /// The next rows; nil at the end.
    mutating func next() throws(StoreError) -> SumRows.Tables? {
        while let record = merge.first {
            func part(_ place: Int) -> Int64 {
                RunKey.int64(record.key, at: place * MemoryLayout<Int64>.size)
            }
            let cell = MovementCell(
                from: part(0),
                SummedMovement(before: part(1), after: part(2), label: part(3)))
            if cell != current {
                close()
                current = cell
            }
            count += RunKey.int64(record.value, at: 0)
            try merge.advance()
            if rows.made.days.rowCount >= SumMerge.pieceRowCount { return rows.take() }
        }
        close()
        rows.finish()
        let last = rows.take()
        return last.isEmpty ? nil : last
    }

    private mutating func close() {
        if let current { rows.append(current, count) }
        (current, count) = (nil, 0)
    }
}
