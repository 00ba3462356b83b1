internal import AppStore
internal import Ledger

/// Where movements of many chains are counted together: a day, and what changed into what.
struct MovementCell: Hashable, Sendable {
    /// When the day (or the month) begins, milliseconds.
    var from: Int64
    var before: Int64
    var after: Int64
    var label: Int64

    static func precedes(_ left: MovementCell, _ right: MovementCell) -> Bool {
        (left.from, left.before, left.after, left.label)
            < (right.from, right.before, right.after, right.label)
    }
}

/// How many changes a class takes part in, and what it is; a class of none is kept by nobody.
struct ClassUse: Sendable {
    var count: Int64
    /// Nil where only the number is known.
    var counted: CountedClass?
}

/// Movements summed by day, from contributions that are added or taken away. The order changes
/// nothing.
struct MovementSums: Sendable {
    private(set) var cells: [MovementCell: Int64] = [:]
    private(set) var classes: [Int64: ClassUse] = [:]
    private var days: DayCache

    init(_ days: ReportDays) { self.days = DayCache(days) }

    /// Cells that are not by days: the same sums by month.
    mutating func months() -> [MovementCell: Int64] {
        var months: [MovementCell: Int64] = [:]
        for (cell, count) in cells {
            months[month(cell), default: 0] += count
        }
        return months
    }

    /// The cell of the month that a day's cell is in.
    mutating func month(_ cell: MovementCell) -> MovementCell {
        var cell = cell
        let day = days.day(Timestamp(milliseconds: cell.from))
        cell.from = day?.month.milliseconds ?? cell.from
        return cell
    }

    /// The day that begins at a moment.
    mutating func day(from: Int64) -> ReportDay? { days.day(Timestamp(milliseconds: from)) }

    /// - Parameter sign: 1 adds, -1 takes away.
    mutating func add(_ movement: StoredMovement, sign: Int64) {
        for number in [movement.before, movement.after] where number != ClassCodec.none {
            classes[number, default: ClassUse(count: 0)].count += sign
        }
        guard let day = days.day(Timestamp(milliseconds: movement.at)) else { return }
        let cell = MovementCell(
            from: day.start.milliseconds, before: movement.before, after: movement.after,
            label: movement.label)
        cells[cell, default: 0] += sign
    }

    /// Says what a class is.
    mutating func name(_ named: NumberedClass) {
        guard classes[named.number]?.counted == nil else { return }
        classes[named.number, default: ClassUse(count: 0)].counted = named.counted
    }

    mutating func removeAll() {
        cells.removeAll(keepingCapacity: true)
        classes.removeAll(keepingCapacity: true)
    }
}
