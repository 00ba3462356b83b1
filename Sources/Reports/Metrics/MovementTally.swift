import AppStore
import Foundation
import Ledger
import LedgerStore
internal import SQLiteStore

/// A roll-forward under summation from movements, with its observations.
///
/// Classes that a question does not distinguish share one *side*. The effect of a movement is
/// computed once per pair of sides, however many classes and chains share it; movements with the
/// same effect are first counted together.
struct MovementTally: Summable {
    private(set) var rollForward: RollForward
    var tally = MetricsQuery.Tally()
    private let classes: ClassTable
    /// By the index of a class; -1 until computed, `otherApp` for another app's.
    private var sides: [Int32]
    private var sidesByValue: [RollForwardSide: Int32] = [:]
    /// One class per side.
    private var examples: [CountedClass] = []
    private let bundleId: BundleId?
    /// Indices of `effects`, by label and the one side that begins or ends; see `place`.
    private var single: [Int32]
    /// The same for changes, by both sides.
    private var double: [UInt64: Int32] = [:]
    private var placesByEffect: [RollForwardEffect: Int32] = [:]
    private var effects: [RollForwardEffect] = []
    /// Chains per effect and the first instant after the movement, grouped by index in `effects`.
    /// Effects beyond `countCount` have no counts; their chains are added directly.
    private var counts: [Int64] = []
    private let instantCount: Int

    /// Maximum number of counts kept before they are added up.
    static let countCount = 2_000_000

    private static let otherApp: Int32 = -2
    private static let unknown: Int32 = -1
    /// The question excludes the movement.
    private static let excluded: Int32 = -2
    private static let labelCount = 64

    /// - Parameter bundleId: nil: all apps.
    init(
        _ question: RollForwardQuery, classes: ClassTable = ClassTable(),
        bundleId: BundleId? = nil
    ) {
        rollForward = RollForward(question)
        instantCount = question.instants.count
        self.classes = classes
        self.bundleId = bundleId
        sides = Array(repeating: MovementTally.unknown, count: classes.count)
        single = []
    }

    /// Whether a chain with this movement belongs to the requested app.
    func isOfApp(_ movement: StoredMovement?) -> Bool {
        guard let bundleId else { return true }
        guard let movement else { return false }
        let number = movement.after == 0 ? movement.before : movement.after
        return classes[number]?.values.app == bundleId
    }

    /// The first instant after a time: the time parameter of `add`.
    func instant(after time: Timestamp) -> Int {
        rollForward.question.firstInstant(after: time)
    }

    /// Counts the movement of some chains until `addCounts`; false for a class that is not stored.
    mutating func add(_ movement: SummedMovement, before instant: Int, chains: Int64) -> Bool {
        guard let left = side(movement.before), let right = side(movement.after) else {
            return false
        }
        let place = self.place(left, right, Int(movement.label))
        guard place >= 0, chains != 0 else { return true }
        count(chains, Int(place), instant)
        return true
    }

    @inline(__always)
    private mutating func count(_ chains: Int64, _ place: Int, _ instant: Int) {
        // Movements after the last instant do not count.
        guard instant < instantCount else { return }
        let index = place * instantCount + instant
        if index < counts.count {
            counts[index] += chains
        } else {
            rollForward.add(effects[place], before: instant, count: chains)
        }
    }

    /// The side of a class, 0 for none; nil for a class that is not stored.
    private mutating func side(_ number: Int64) -> Int32? {
        guard number != 0 else { return 0 }
        guard let place = classes.place(of: number) else { return nil }
        let known = sides[place]
        if known != MovementTally.unknown { return known }
        let side = newSide(classes.classes[place])
        sides[place] = side
        return side
    }

    private mutating func newSide(_ counted: CountedClass) -> Int32 {
        guard bundleId == nil || counted.values.app == bundleId else {
            return MovementTally.otherApp
        }
        tally.note(counted)
        let value = RollForwardSide(counted, rollForward.question)
        if let known = sidesByValue[value] { return known }
        examples.append(counted)
        let side = Int32(examples.count)
        sidesByValue[value] = side
        return side
    }

    /// The index of the effect of a movement between two sides; negative for none.
    private mutating func place(_ left: Int32, _ right: Int32, _ label: Int) -> Int32 {
        // Classes that the question does not distinguish exchange no movements.
        if left == right || left < 0 || right < 0 { return MovementTally.excluded }
        guard left == 0 || right == 0 else {
            let key = UInt64(UInt32(left)) << 32 | UInt64(UInt32(right))
            if let known = double[key] { return known }
            let place = newPlace(left, right, label)
            double[key] = place
            return place
        }
        let index = Int(max(left, right)) * MovementTally.labelCount + label
        if index >= single.count {
            let more = index + MovementTally.labelCount - single.count
            single += Array(repeating: MovementTally.unknown, count: more)
        }
        if single[index] == MovementTally.unknown { single[index] = newPlace(left, right, label) }
        return single[index]
    }

    private mutating func newPlace(_ left: Int32, _ right: Int32, _ label: Int) -> Int32 {
        let effect = rollForward.effect(
            of: ClassMovement(
                before: left == 0 ? nil : examples[Int(left) - 1],
                after: right == 0 ? nil : examples[Int(right) - 1],
                label: MovementLabel(code: Int64(label)) ?? .change))
        return effect.isNothing ? MovementTally.excluded : place(of: effect)
    }

    private mutating func place(of effect: RollForwardEffect) -> Int32 {
        if let known = placesByEffect[effect] { return known }
        let place = Int32(effects.count)
        effects.append(effect)
        if effects.count * instantCount <= MovementTally.countCount {
            counts.append(contentsOf: repeatElement(0, count: instantCount))
        }
        placesByEffect[effect] = place
        return place
    }

    /// Adds up what was counted.
    mutating func addCounts() {
        for index in counts.indices where counts[index] != 0 {
            rollForward.add(
                effects[index / instantCount], before: index % instantCount, count: counts[index])
            counts[index] = 0
        }
    }

    mutating func add(_ metrics: ChainMetrics) {
        rollForward.add(metrics)
        for stretch in metrics.stretches {
            if let counted = CountedClass(stretch) { tally.note(counted) }
        }
    }

    /// Adds another tally of the same question.
    mutating func add(_ other: MovementTally) {
        rollForward.add(other.rollForward)
        tally.add(other.tally)
        for start in stride(from: 0, to: other.counts.count, by: max(instantCount, 1)) {
            let effect = other.effects[start / instantCount]
            let place = Int(place(of: rollForward.effect(effect, of: other.rollForward)))
            for instant in 0..<instantCount where other.counts[start + instant] != 0 {
                count(other.counts[start + instant], place, instant)
            }
        }
    }

    /// The error for a class number without a stored class.
    static func unnamed(_ projections: ProjectionsStore) -> StoreError {
        StoreError(
            .fileCorrupt, path: projections.path,
            reason: "Stored sums refer to a class that does not exist.",
            remedy: "Run `subledger rebuild`.")
    }
}

extension MovementTally {
    /// The roll-forward of stored sums on all cores; excludes movements of the present day that are
    /// still pending.
    ///
    /// - Parameter empty: has the classes that are stored with the sums.
    static func sum(
        _ stored: StoredMovements, from empty: MovementTally, presentDay: Timestamp?,
        in projections: ProjectionsStore
    ) async throws(StoreError) -> MovementTally {
        let parts = stored.sums.parts(ProcessInfo.processInfo.activeProcessorCount)
        var whole = try await empty.adding(parts) { sum, part throws(StoreError) in
            try sum.add(stored, part, presentDay: presentDay, in: projections)
        }
        whole.addCounts()
        return whole
    }

    private mutating func add(
        _ stored: StoredMovements, _ part: Range<Int>, presentDay: Timestamp?,
        in projections: ProjectionsStore
    ) throws(StoreError) {
        var later: [SummedMovement: Int64] = [:]
        try stored.pending.forEach(
            beginning: { _ in }, adding: { later[$0, default: 0] += $1 })
        var (instant, isPresent, isNamed) = (0, false, true)
        let question = rollForward.question
        try stored.sums.forEach(
            in: part,
            beginning: { time in
                instant = question.firstInstant(after: time)
                isPresent = time == presentDay && !later.isEmpty
            },
            adding: { movement, chains in
                let gone = isPresent ? later[movement] ?? 0 : 0
                if !add(movement, before: instant, chains: chains - gone) { isNamed = false }
            })
        guard isNamed else { throw MovementTally.unnamed(projections) }
    }
}
