import AppStore
import Ledger
import LedgerStore

/// Where a roll-forward comes from. All give the same answer; they differ in how long they take.
package enum MovementSource: String, Sendable, CaseIterable {
    /// Sums by month and day of the report zone: as long as the rows are many.
    case sums
    /// What each chain contributes, as it is stored: any zone, any time.
    case contributions
    /// Every chain folded from its facts.
    case facts
}

/// A roll-forward that is being summed from movements, with what is to be told beside it. What a
/// movement adds is worked out once, however many chains made it; movements that add the same are
/// counted together first.
struct MovementTally: Sendable {
    private(set) var rollForward: RollForward
    var tally = MetricsQuery.Tally()
    private let classes: [Int64: CountedClass]
    private let bundleId: BundleId?
    /// Places of `counted`; nil for what the question does not see.
    private var places: [ClassMovement<Int64>: Int?] = [:]
    private var placesByEffect: [RollForwardEffect: Int] = [:]
    private var counted: [Counted] = []

    /// Chains that add the same, by the first instant after they do.
    private struct Counted: Sendable {
        let effect: RollForwardEffect
        /// Empty where that would take too much room: then each is added at once.
        var counts: [Int64]
    }

    /// Counts that are kept at most before they are added up.
    static let countCount = 2_000_000

    /// - Parameter bundleId: only chains of this app are meant.
    init(
        _ question: RollForwardQuestion, classes: [Int64: CountedClass] = [:],
        bundleId: BundleId? = nil
    ) {
        rollForward = RollForward(question)
        self.classes = classes
        self.bundleId = bundleId
    }

    /// Whether a chain with this movement is of the app that is meant.
    func isMeant(_ movement: ClassMovement<Int64>?) -> Bool {
        guard let bundleId else { return true }
        guard let number = movement?.after ?? movement?.before else { return false }
        return classes[number]?.values.app == bundleId
    }

    /// Adds the movement of some chains, as of `settle`; false for a class that nobody stored.
    mutating func add(_ movement: ClassMovement<Int64>, at time: Timestamp, count: Int64) -> Bool {
        if let place = places[movement] {
            if let place { add(place, time, count) }
            return true
        }
        let (before, after) = (
            movement.before.flatMap { classes[$0] }, movement.after.flatMap { classes[$0] }
        )
        guard (before == nil) == (movement.before == nil),
            (after == nil) == (movement.after == nil)
        else { return false }
        let effect = effect(before, after, movement.label)
        let place = effect.map { self.place(of: $0) }
        places[movement] = .some(place)
        if let place { add(place, time, count) }
        return true
    }

    private mutating func add(_ place: Int, _ time: Timestamp, _ count: Int64) {
        let first = rollForward.question.firstInstant(after: time)
        if first < counted[place].counts.count {
            counted[place].counts[first] += count
        } else {
            rollForward.add(counted[place].effect, before: first, count: count)
        }
    }

    private mutating func place(of effect: RollForwardEffect) -> Int {
        if let known = placesByEffect[effect] { return known }
        let width = rollForward.question.instants.count
        let isKept = (counted.count + 1) * width <= MovementTally.countCount
        counted.append(
            Counted(effect: effect, counts: isKept ? Array(repeating: 0, count: width) : []))
        placesByEffect[effect] = counted.count - 1
        return counted.count - 1
    }

    /// Adds up what was counted.
    mutating func settle() {
        for place in counted.indices {
            for (first, count) in counted[place].counts.enumerated() where count != 0 {
                rollForward.add(counted[place].effect, before: first, count: count)
                counted[place].counts[first] = 0
            }
        }
    }

    /// Nil for what the question does not see.
    private mutating func effect(
        _ before: CountedClass?, _ after: CountedClass?, _ label: MovementLabel
    ) -> RollForwardEffect? {
        guard let app = (before ?? after)?.values.app, bundleId == nil || app == bundleId else {
            return nil
        }
        for counted in [before, after].compactMap(\.self) { tally.note(counted) }
        let effect = rollForward.effect(
            of: ClassMovement(before: before, after: after, label: label))
        return effect.isNothing ? nil : effect
    }

    mutating func add(_ metrics: ChainMetrics) {
        rollForward.add(metrics)
        for stretch in metrics.stretches {
            if let counted = CountedClass(stretch) { tally.note(counted) }
        }
    }

    /// Adds what another one of the same question has, which is settled.
    mutating func add(_ other: MovementTally) {
        rollForward.add(other.rollForward)
        tally.add(other.tally)
    }

    /// What a stored class without a name means.
    static func unnamed(_ projections: ProjectionsStore) -> StoreError {
        StoreError(
            .fileCorrupt, path: projections.path,
            reason: "Stored sums name a class that is not there.",
            remedy: "Run `subledger rebuild`.")
    }
}
