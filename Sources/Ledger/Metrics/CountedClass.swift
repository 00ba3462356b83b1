public import AppStore

/// What a chain counts as for as long as it is entitled and nothing that any metric counts changes:
/// the values it is grouped by, and a year of its price. Copies that never count have one, too: what
/// they turn into, or came from, is told by it.
public struct CountedClass: Hashable, Sendable {
    public var values: DimensionValues
    /// A year of the price in milliunits of `values.currency`; nil when price, currency or period
    /// is unknown.
    public var annualised: Int64?
    /// Whether the length of the period is from the payload, because the catalogue is silent.
    public var isInferred: Bool

    public init(values: DimensionValues, annualised: Int64?, isInferred: Bool) {
        self.values = values
        self.annualised = annualised
        self.isInferred = isInferred
    }

    /// Nil for a stretch that gives no access: nothing counts in it.
    public init?(_ stretch: CountedStretch) {
        guard stretch.state.isEntitled else { return nil }
        self.init(
            values: stretch.values, annualised: stretch.annualised,
            isInferred: stretch.period?.isInferred ?? false)
    }

    /// Active, as metrics count it.
    public var isActive: Bool { stretch.isActive }

    /// Active, and the period is no trial.
    public var isPaid: Bool { stretch.isPaid }

    /// A stretch of this class, of which only what it counts as matters.
    var stretch: CountedStretch {
        CountedStretch(
            from: Timestamp(milliseconds: 0), to: nil, state: .subscribed, values: values,
            entry: nil, reason: nil, period: nil, annualised: annualised, cause: 0)
    }
}

/// Why a chain changed its class.
public enum MovementLabel: Hashable, Sendable {
    /// It was not entitled before.
    case entry(Gain)
    /// It is entitled before and after.
    case change
    /// It is not entitled any more.
    case end(EndReason)

    public static let all: [MovementLabel] =
        [.change] + Gain.allCases.map { .entry($0) } + EndReason.allCases.map { .end($0) }
}

/// A change of class as every chain may make it, at whatever time: how many made it when is what the
/// roll-forward is summed from. Between stretches that give no access nothing moves.
public struct ClassMovement<Class: Hashable & Sendable>: Hashable, Sendable {
    /// Nil for a chain that was not entitled.
    public var before: Class?
    /// Nil for a chain that is not entitled any more.
    public var after: Class?
    public var label: MovementLabel

    public init(before: Class?, after: Class?, label: MovementLabel) {
        self.before = before
        self.after = after
        self.label = label
    }
}

extension CountedStretch {
    /// Why a chain moved into this stretch; nil when it was not entitled before and is not now.
    ///
    /// - Parameter before: nil at the beginning of the history.
    public func label(after before: CountedStretch?) -> MovementLabel? {
        switch (before?.state.isEntitled ?? false, state.isEntitled) {
        case (false, false): nil
        case (false, true): .entry(entry ?? .new)
        case (true, true): .change
        case (true, false): .end(reason ?? .other)
        }
    }
}

extension ChainMetrics {
    /// Changes of class in order, with their times: all that any roll-forward needs of a chain.
    /// Where a period was renewed as it was, there is none.
    public var classMovements: [(at: Timestamp, movement: ClassMovement<CountedClass>)] {
        var found: [(at: Timestamp, movement: ClassMovement<CountedClass>)] = []
        found.reserveCapacity(stretches.count)
        // Of the last place that gives access; nil where none does.
        var (before, old): (Int?, CountedClass?) = (nil, nil)
        for index in stretches.indices {
            let last = before.map { stretches[$0] }
            guard let label = stretches[index].label(after: last) else { continue }
            let new = CountedClass(stretches[index])
            before = new == nil ? nil : index
            guard old != new else { continue }
            found.append(
                (stretches[index].from, ClassMovement(before: old, after: new, label: label)))
            old = new
        }
        return found
    }
}

extension ClassMovement<CountedClass> {
    /// The movement of one chain that makes it.
    var movement: Movement {
        var after =
            after?.stretch
            ?? CountedStretch(
                from: Timestamp(milliseconds: 0), to: nil, state: .expired,
                values: before?.values ?? DimensionValues(app: BundleId("")), entry: nil,
                reason: nil, period: nil, annualised: nil, cause: 0)
        switch label {
        case .entry(let gain): after.entry = gain
        case .end(let reason): after.reason = reason
        case .change: break
        }
        return Movement(before: before?.stretch, after: after)
    }
}
