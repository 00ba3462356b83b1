internal import AppStore

/// Converts sums into table rows of a new file; sums arrive by day, in order.
struct SumRows {
    private(set) var made = Tables()
    private var days: DayCache
    private var day: ReportDay?
    private var month: Int64?
    /// The sums of the current month.
    private var monthly: [(movement: SummedMovement, chains: Int64)] = []

    /// The rows of each table.
    struct Tables: Sendable {
        fileprivate(set) var days = RowBytes()
        fileprivate(set) var months = RowBytes()
        fileprivate(set) var calendar = RowBytes()

        var isEmpty: Bool { days.rowCount == 0 && months.rowCount == 0 && calendar.rowCount == 0 }
    }

    init(_ days: ReportDays) { self.days = DayCache(days) }

    mutating func append(_ cell: MovementCell, _ chains: Int64) {
        if cell.from != day?.start.milliseconds { begin(cell.from) }
        made.days.beginRow()
        MovementTable.bind(cell, chains, &made.days)
        monthly.append((cell.movement, chains))
    }

    /// The rows produced since the last call.
    mutating func take() -> Tables {
        defer { made = Tables() }
        return made
    }

    /// Ends the last month.
    mutating func finish() { endMonth() }

    private mutating func begin(_ from: Int64) {
        day = days.day(Timestamp(milliseconds: from))
        if let day {
            made.calendar.beginRow()
            MovementTable.bind(day, &made.calendar)
        }
        if day?.month.milliseconds != month {
            endMonth()
            month = day?.month.milliseconds
        }
    }

    private mutating func endMonth() {
        guard let month else { return }
        monthly.sort { left, right in
            let (one, two) = (
                MonthPart.number(of: left.movement), MonthPart.number(of: right.movement)
            )
            return one == two
                ? SummedMovement.precedes(left.movement, right.movement) : one < two
        }
        var (writer, start) = (FactWriter(), 0)
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
            made.months.beginRow()
            MovementTable.bind(part, writer.bytes, &made.months)
            writer.removeAll()
        }
        monthly.removeAll(keepingCapacity: true)
    }
}
