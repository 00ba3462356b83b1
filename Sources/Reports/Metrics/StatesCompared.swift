import AppStore
import Ledger

/// A table under two states of knowledge, and the events responsible for the differences.
///
/// - Key: what an event changed.
struct StatesCompared<Table: Summable, Key: Hashable & Sendable>: Summable {
    var before: Table
    var after: Table
    var events: [Key: CellEvents] = [:]
    /// Every delivery that only one of the two contains, regardless of range and filters; for
    /// lateness only.
    var known = KnownDeliveries()
    var chainCount = 0
    /// Why amounts could not be converted.
    var rateGaps: Set<CurrencyRates.Gap> = []

    init(_ empty: Table) { (before, after) = (empty, empty) }

    mutating func add(_ other: StatesCompared) {
        before.add(other.before)
        after.add(other.after)
        for (key, found) in other.events { events[key, default: CellEvents()].add(found) }
        known.add(other.known)
        chainCount += other.chainCount
        rateGaps.formUnion(other.rateGaps)
    }
}

/// The events that changed a cell: the first `MetricsLimits.eventCount`, and the number of the
/// others, so that a cell takes the same memory however many there are. The result does not depend
/// on the order in which they are added.
struct CellEvents: Summable, Equatable {
    private struct Event: Equatable {
        let position: Int64
        /// How often it was added: once for each chain that it changed.
        var count: Int
    }

    /// Ascending.
    private var first: [Event] = []
    /// The number of the others, each as often as it was added.
    private(set) var omittedCount = 0

    init() {}

    init(_ positions: some Sequence<Int64>) {
        for position in positions { add(position) }
    }

    var positions: [Int64] { first.map(\.position) }

    mutating func add(_ position: Int64) { add(Event(position: position, count: 1)) }

    mutating func add(_ other: CellEvents) {
        for event in other.first { add(event) }
        omittedCount += other.omittedCount
    }

    private mutating func add(_ event: Event) {
        let place = first.indices.partitioningIndex { first[$0].position >= event.position }
        if place < first.count, first[place].position == event.position {
            first[place].count += event.count
            return
        }
        first.insert(event, at: place)
        if first.count > MetricsLimits.eventCount { omittedCount += first.removeLast().count }
    }
}

/// One chain's facts under two states of knowledge.
struct FactsCompared {
    let facts: [Fact]
    let old: [Fact]
    let new: [Fact]
    /// Positions of the events that only one of the two contains.
    let known: Set<Int64>

    init(_ facts: [Fact], _ before: AsOf, _ after: AsOf) {
        self.facts = facts
        old = facts.filter { before.admits($0) }
        new = facts.filter { after.admits($0) }
        known = Set(old.map(\.position)).symmetricDifference(new.map(\.position))
    }

    /// Folds the chain from one state to the other event by event, in log order: an event is
    /// responsible if it made a difference given the events before it.
    ///
    /// - Parameters:
    ///   - then: the chain's part by its old facts.
    ///   - compare: receives the parts before and after a step, and the events of the step.
    func forEachStep<Part>(
        from then: Part, _ part: ([Fact]) -> Part,
        compare: (_ before: Part, _ after: Part, _ events: ArraySlice<Int64>) -> Void
    ) {
        let known = known.sorted()
        let width = (known.count + MetricsLimits.stepCount - 1) / MetricsLimits.stepCount
        var positions = Set(old.map(\.position))
        var before = then
        for start in stride(from: 0, to: known.count, by: width) {
            let step = known[start..<min(start + width, known.count)]
            positions.formSymmetricDifference(step)
            let after = part(facts.filter { positions.contains($0.position) })
            compare(before, after, step)
            before = after
        }
    }
}
