import Ledger

/// A table under two states of knowledge, and the events responsible for the differences.
///
/// - Key: what an event changed.
struct StatesCompared<Table: Summable, Key: Hashable & Sendable>: Summable {
    var before: Table
    var after: Table
    var events: [Key: Set<Int64>] = [:]
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
        events.merge(other.events) { $0.union($1) }
        known.add(other.known)
        chainCount += other.chainCount
        rateGaps.formUnion(other.rateGaps)
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
