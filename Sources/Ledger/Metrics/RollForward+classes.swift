/// The contribution of one chain's movement to a roll-forward, computed once because it does not
/// depend on time.
package struct RollForwardEffect: Hashable, Sendable {
    struct Step: Hashable, Sendable {
        var group: Int
        /// Change of the active amount from then on.
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

    /// Whether the movement has no effect under the query.
    package var isNothing: Bool { steps.isEmpty && changes.isEmpty }
}

/// The part of a class that a query depends on: a movement contributes the same for all classes
/// that share it.
package struct RollForwardSide: Hashable, Sendable {
    private let key: RollForwardQuery.Key
    private let isCounted: Bool
    /// Only for the paid variant and money.
    private let isTrial: Bool
    /// Only for money.
    private let annualised: Int64?

    package init(_ counted: CountedClass, _ question: RollForwardQuery) {
        isCounted = question.counts(counted.values)
        key = isCounted ? question.key(counted.values, reason: nil) : []
        isTrial = question.measure != .chains && counted.isTrial
        annualised = question.measure == .money && isCounted ? counted.annualised : nil
    }
}

extension RollForward {
    /// A movement's contribution, for `add` of this roll-forward.
    package mutating func effect(of movement: ClassMovement) -> RollForwardEffect {
        var effect = RollForwardEffect()
        for (counted, sign) in [(movement.before, Int64(-1)), (movement.after, 1)] {
            if let counted, let step = step(counted, sign: sign) { effect.steps.append(step) }
        }
        for change in movement.changes(question) where change.amount != 0 {
            effect.changes.append(
                RollForwardEffect.Change(
                    group: group(change.key), column: change.column, amount: change.amount))
        }
        return effect
    }

    /// Translates an effect of another roll-forward for the same query, for `add` of this one.
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

    private mutating func step(_ counted: CountedClass, sign: Int64) -> RollForwardEffect.Step? {
        guard question.counts(counted.values) else { return nil }
        let isUnpriced = question.measure == .money && counted.annualised == nil
        return RollForwardEffect.Step(
            group: group(question.key(counted.values, reason: nil)),
            amount: sign * question.amount(counted.annualised), unpriced: isUnpriced ? sign : 0)
    }

    /// Adds a movement of `count` chains at one time; `first` is the index of the first instant
    /// after it.
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
