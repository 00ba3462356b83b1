internal import AppStore
internal import Ledger

/// Where movements of many chains are counted together: a day, and what changed into what.
struct MovementCell: Hashable, Sendable {
    /// When the day begins, milliseconds.
    var from: Int64
    var movement: SummedMovement

    init(from: Int64, _ movement: SummedMovement) {
        self.from = from
        self.movement = movement
    }

    static func precedes(_ left: MovementCell, _ right: MovementCell) -> Bool {
        if left.from != right.from { return left.from < right.from }
        return SummedMovement.precedes(left.movement, right.movement)
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

    /// The same sums by month, each month in its parts.
    mutating func months() -> [MonthPart: [SummedMovement: Int64]] {
        var months: [MonthPart: [SummedMovement: Int64]] = [:]
        for (cell, count) in cells where count != 0 {
            let month = days.day(Timestamp(milliseconds: cell.from))?.month.milliseconds
            let part = MonthPart(from: month ?? cell.from, of: cell.movement)
            months[part, default: [:]][cell.movement, default: 0] += count
        }
        return months
    }

    /// The day that begins at a moment.
    mutating func day(from: Int64) -> ReportDay? { days.day(Timestamp(milliseconds: from)) }

    /// - Parameter sign: 1 adds, -1 takes away.
    mutating func add(_ movement: StoredMovement, sign: Int64) {
        for number in [movement.before, movement.after] where number != ClassCodec.none {
            classes[number, default: ClassUse(count: 0)].count += sign
        }
        guard let from = days.start(of: Timestamp(milliseconds: movement.at)) else { return }
        cells[MovementCell(from: from, SummedMovement(movement)), default: 0] += sign
    }

    /// Says what a class is.
    mutating func name(_ named: NumberedClass) {
        guard let use = classes[named.number], use.counted == nil else { return }
        classes[named.number]?.counted = named.counted
    }
}
