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

/// A roll-forward that is being summed from movements, with what is to be told beside it. The effect
/// of a movement is worked out once, however many chains made it.
struct MovementTally: Sendable {
    var rollForward: RollForward
    var tally = MetricsQuery.Tally()
    private let classes: [Int64: CountedClass]
    private let bundleId: BundleId?
    private var effects: [ClassMovement<Int64>: RollForwardEffect?] = [:]

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

    /// Adds the movement of some chains; false for a class that nobody stored.
    mutating func add(_ movement: ClassMovement<Int64>, at time: Timestamp, count: Int64) -> Bool {
        if let known = effects[movement] {
            if let known { rollForward.add(known, at: time, count: count) }
            return true
        }
        let (before, after) = (
            movement.before.flatMap { classes[$0] }, movement.after.flatMap { classes[$0] }
        )
        guard (before == nil) == (movement.before == nil),
            (after == nil) == (movement.after == nil)
        else { return false }
        let effect = effect(before, after, movement.label)
        effects[movement] = .some(effect)
        if let effect { rollForward.add(effect, at: time, count: count) }
        return true
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
