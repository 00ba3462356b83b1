internal import AppStore
internal import GRDB

/// Sums on their way into the tables of a new file: they come by days, in order.
struct SumRows {
    private let dayInsert: BulkInsert
    private let monthInsert: BulkInsert
    private let calendarInsert: BulkInsert
    private var dayRows = RowBytes()
    private var calendar = RowBytes()
    private var days: DayCache
    private var day: ReportDay?
    private var month: Int64?
    /// Those of the present month's days.
    private var monthly: [(movement: SummedMovement, chains: Int64)] = []

    init(_ database: Database, _ days: ReportDays) throws {
        dayInsert = try BulkInsert(
            database, table: MovementTable.days, columns: MovementTable.dayColumns)
        monthInsert = try BulkInsert(
            database, table: MovementTable.months, columns: MovementTable.monthColumns)
        calendarInsert = try BulkInsert(
            database, table: MovementTable.calendar, columns: MovementTable.calendarColumns)
        self.days = DayCache(days)
    }

    mutating func append(_ cell: MovementCell, _ chains: Int64) throws {
        if cell.from != day?.start.milliseconds { try begin(cell.from) }
        dayRows.beginRow()
        MovementTable.bind(cell, chains, &dayRows)
        if dayRows.rowCount == BulkInsert.rowsPerRun {
            try dayInsert.run(dayRows)
            dayRows.removeAll()
        }
        monthly.append((cell.movement, chains))
    }

    mutating func finish() throws {
        try endMonth()
        try dayInsert.run(dayRows)
        try calendarInsert.run(calendar)
        dayRows.removeAll()
        calendar.removeAll()
    }

    private mutating func begin(_ from: Int64) throws {
        day = days.day(Timestamp(milliseconds: from))
        if let day {
            calendar.beginRow()
            MovementTable.bind(day, &calendar)
        }
        if day?.month.milliseconds != month {
            try endMonth()
            month = day?.month.milliseconds
        }
    }

    private mutating func endMonth() throws {
        guard let month else { return }
        monthly.sort { left, right in
            let (one, two) = (
                MonthPart.number(of: left.movement), MonthPart.number(of: right.movement)
            )
            return one == two
                ? SummedMovement.precedes(left.movement, right.movement) : one < two
        }
        var (rows, writer, start) = (RowBytes(), FactWriter(), 0)
        while start < monthly.count {
            let movement = monthly[start].movement
            let part = MonthPart(from: month, of: movement)
            var (end, chains) = (start, Int64(0))
            while end < monthly.count, monthly[end].movement == movement {
                chains += monthly[end].chains
                end += 1
            }
            SumCodec.append(movement, chains: chains, to: &writer)
            start = end
            let isLast =
                start == monthly.count
                || MonthPart.number(of: monthly[start].movement) != part.number
            guard isLast else { continue }
            rows.beginRow()
            MovementTable.bind(part, writer.bytes, &rows)
            writer = FactWriter()
        }
        try monthInsert.run(rows)
        monthly.removeAll(keepingCapacity: true)
    }
}
