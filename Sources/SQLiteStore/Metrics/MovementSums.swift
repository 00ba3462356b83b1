internal import AppStore
internal import Ledger

/// The key under which movements of many chains are counted: a day and a change of class.
struct MovementCell: Hashable, Sendable {
    /// The start of the day, milliseconds.
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

/// The number of changes that use a class, and the class; a class without uses is not stored.
struct ClassUse: Sendable {
    var count: Int64
    /// Nil where only the number is known.
    var counted: CountedClass?
}

/// Movements summed by day, from contributions that are added or removed, in any order.
struct MovementSums: Sendable {
    private(set) var cells: [MovementCell: Int64] = [:]
    private(set) var classes: [Int64: ClassUse] = [:]
    private let days: ReportDays

    init(_ days: ReportDays) { self.days = days }

    /// The same sums by month, each month divided into parts.
    func months() -> [MonthPart: [SummedMovement: Int64]] {
        var months: [MonthPart: [SummedMovement: Int64]] = [:]
        for (cell, count) in cells where count != 0 {
            let month = days.day(Timestamp(milliseconds: cell.from))?.month.milliseconds
            let part = MonthPart(from: month ?? cell.from, of: cell.movement)
            months[part, default: [:]][cell.movement, default: 0] += count
        }
        return months
    }

    /// The day that starts at a moment.
    func day(from: Int64) -> ReportDay? { days.day(Timestamp(milliseconds: from)) }

    /// - Parameter sign: 1 adds, -1 removes.
    mutating func add(_ movement: StoredMovement, sign: Int64) {
        for number in [movement.before, movement.after] where number != ClassCodec.none {
            classes[number, default: ClassUse(count: 0)].count += sign
        }
        guard let day = days.day(Timestamp(milliseconds: movement.at)) else { return }
        cells[MovementCell(from: day.start.milliseconds, SummedMovement(movement)), default: 0] +=
            sign
    }

    /// Removes the sums and keeps the memory.
    mutating func removeAll() {
        cells.removeAll(keepingCapacity: true)
        classes.removeAll(keepingCapacity: true)
    }

    /// Stores the attributes of a class.
    mutating func name(_ named: NumberedClass) {
        guard let use = classes[named.number], use.counted == nil else { return }
        classes[named.number]?.counted = named.counted
    }
}
