internal import GRDB
public import Ledger
internal import Synchronization

/// Classes by number, and by their index in number order.
public struct ClassTable: Sendable, Equatable {
    public private(set) var classes: [CountedClass] = []
    private var numbers: [Int64] = []
    /// A hash table of indexes plus 1, 0 when empty, probed from the low bits of the number:
    /// numbers are digests and evenly distributed.
    private var slots: [Int32] = [0]

    public init() {}

    public var count: Int { classes.count }

    /// The numbers, in index order.
    public var sortedNumbers: [Int64] { numbers }

    /// - Parameter number: must not be in the table.
    mutating func append(_ counted: CountedClass, number: Int64) {
        classes.append(counted)
        numbers.append(number)
        if slots.count < numbers.count * 2 {
            slots = Array(repeating: 0, count: slots.count * 4)
            for place in numbers.indices { enter(place) }
        } else {
            enter(numbers.count - 1)
        }
    }

    private mutating func enter(_ place: Int) {
        var slot = self.slot(numbers[place])
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = Int32(place + 1)
    }

    private func slot(_ number: Int64) -> Int {
        Int(truncatingIfNeeded: number) & (slots.count - 1)
    }

    /// The index of a class; nil when it is not in the table.
    @inline(__always)
    public func place(of number: Int64) -> Int? {
        var slot = self.slot(number)
        while true {
            let place = Int(slots[slot]) - 1
            guard place >= 0 else { return nil }
            if numbers[place] == number { return place }
            slot = (slot + 1) & (slots.count - 1)
        }
    }

    public subscript(number: Int64) -> CountedClass? { place(of: number).map { classes[$0] } }
}

/// The classes of one file as of the last read; nearly every query finds the same ones.
final class KnownClasses: Sendable {
    private let known = Mutex(ClassTable())

    /// The classes stored as of the current transaction.
    func read(_ database: Database) throws -> ClassTable {
        let before = known.withLock { $0 }
        let table = try MovementTable.classTable(database, known: before)
        known.withLock { $0 = table }
        return table
    }
}
