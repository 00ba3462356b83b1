public import AppStore

/// What one chain that makes a movement adds to a roll-forward, worked out once: it is the same at
/// every time.
public struct RollForwardEffect: Hashable, Sendable {
    struct Step: Hashable, Sendable {
        var group: Int
        /// What is active more, or less, from then on.
        var amount: Int64
        var unpriced: Int64
    }

    struct Change: Hashable, Sendable {
        var group: Int
        var column: RollForwardColumn
        var amount: Int64
    }

    var steps: [Step] = []
    var changes: [Change] = []

    /// Whether the question does not see the movement.
    public var isNothing: Bool { steps.isEmpty && changes.isEmpty }
}

/// All that a question sees of a class: what a movement adds is the same for classes that have it in
/// common.
public struct QuestionSide: Hashable, Sendable {
    private let key: RollForwardQuestion.Key
    private let isCounted: Bool
    /// Told apart by the paid variant and by money.
    private let isTrial: Bool
    /// Of money only.
    private let annualised: Int64?

    public init(_ counted: CountedClass, _ question: RollForwardQuestion) {
        let stretch = counted.stretch
        isCounted = question.counts(stretch)
        key = isCounted ? question.key(stretch.values, reason: nil) : []
        isTrial = question.measure != .chains && stretch.isTrial
        annualised = question.measure == .money && isCounted ? counted.annualised : nil
    }
}

extension RollForward {
    /// What a movement adds, for `add` of this same sum.
    public mutating func effect(of movement: ClassMovement<CountedClass>) -> RollForwardEffect {
        let moved = movement.movement
        var effect = RollForwardEffect()
        if let before = moved.before, let step = step(before, sign: -1) {
            effect.steps.append(step)
        }
        if let step = step(moved.after, sign: 1) { effect.steps.append(step) }
        for change in moved.changes(question) where change.amount != 0 {
            effect.changes.append(
                RollForwardEffect.Change(
                    group: group(change.key), column: change.column, amount: change.amount))
        }
        return effect
    }

    /// What an effect of another sum of the same question is for `add` of this one.
    package mutating func effect(
        _ effect: RollForwardEffect, of other: RollForward
    ) -> RollForwardEffect {
        var here = effect
        for index in here.steps.indices {
            here.steps[index].group = group(other.keys[here.steps[index].group])
        }
        for index in here.changes.indices {
            here.changes[index].group = group(other.keys[here.changes[index].group])
        }
        return here
    }

    private mutating func step(_ stretch: CountedStretch, sign: Int64) -> RollForwardEffect.Step? {
        guard question.counts(stretch) else { return nil }
        let isUnpriced = question.measure == .money && stretch.annualised == nil
        return RollForwardEffect.Step(
            group: group(question.key(stretch.values, reason: nil)),
            amount: sign * question.amount(stretch), unpriced: isUnpriced ? sign : 0)
    }

    /// Adds the movement of some chains at one time.
    ///
    /// - Parameter count: chains; 0 adds nothing.
    public mutating func add(_ effect: RollForwardEffect, at time: Timestamp, count: Int64) {
        add(effect, before: question.firstInstant(after: time), count: count)
    }

    /// As `add(_:at:count:)`, of a time by the index of the first instant after it.
    package mutating func add(_ effect: RollForwardEffect, before first: Int, count: Int64) {
        guard count != 0, question.instants.count > 1 else { return }
        guard first < question.instants.count else { return }
        for step in effect.steps {
            if let amount = product(step.amount, count) {
                addStep(amount, group: step.group, first)
            }
            if step.unpriced != 0 {
                unpricedSteps[step.group][first, default: 0] += step.unpriced * count
            }
        }
        guard first > 0 else { return }
        for change in effect.changes {
            guard let amount = product(change.amount, count) else { continue }
            addChange(amount, group: change.group, first - 1, change.column)
        }
    }
}
