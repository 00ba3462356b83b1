internal import AppStore
internal import Ledger

/// Collects the movements of many chains for a file that is built in bulk. Most movements occur
/// once per day, so equal ones are counted only after sorting.
struct MovementCollector: Sendable {
    /// One cell per movement.
    private(set) var cells: [MovementCell] = []
    private(set) var classes: [Int64: ClassUse] = [:]
    private var days: DayCache
    private var isSorted = true

    init(_ days: ReportDays) { self.days = DayCache(days) }

    mutating func add(_ movement: StoredMovement) {
        guard let from = days.start(of: Timestamp(milliseconds: movement.at)) else { return }
        cells.append(
            MovementCell(from: from, SummedMovement(movement)))
        isSorted = false
    }

    /// Counts uses of a class and stores the class.
    mutating func add(_ named: NumberedClass) {
        if classes[named.number]?.add(named.uses) == nil {
            classes[named.number] = ClassUse(count: named.uses, counted: named.counted)
        }
    }

    /// Counts one more use of a class by number.
    mutating func use(_ number: Int64) {
        classes[number, default: ClassUse(count: 0)].count += 1
    }

    mutating func sort() {
        guard !isSorted else { return }
        cells.sort(by: MovementCell.precedes)
        isSorted = true
    }

}

extension ClassUse {
    fileprivate mutating func add(_ uses: Int64) { count += uses }
}
