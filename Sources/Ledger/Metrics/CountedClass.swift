public import AppStore

/// The counted values of a chain while it is entitled and no metric's value changes: the values it
/// is grouped by, and a year of its price. Copies that never count have one, too, because it
/// describes changes into and out of them.
public struct CountedClass: Hashable, Sendable {
    public var values: DimensionValues
    /// A year of the price in milliunits of `values.currency`; nil when price, currency or period
    /// is unknown.
    public var annualised: Int64?
    /// Whether the length of the period is inferred from the payload because the catalogue has no
    /// entry.
    public var isInferred: Bool

    public init(values: DimensionValues, annualised: Int64?, isInferred: Bool) {
        self.values = values
        self.annualised = annualised
        self.isInferred = isInferred
    }

    /// Nil for a stretch without access, in which nothing counts.
    public init?(_ stretch: CountedStretch) {
        guard stretch.state.isEntitled else { return nil }
        self.init(
            values: stretch.values, annualised: stretch.annualised,
            isInferred: stretch.period?.isInferred ?? false)
    }

    /// Whether metrics count it as active.
    public var isActive: Bool { values.ownership.isOwnPurchase }

    /// Whether it is active and not a trial.
    public var isPaid: Bool { isActive && values.phase != .trial }

    /// Active and free.
    var isTrial: Bool { isActive && values.phase == .trial }
}

/// Why a chain changed class.
public enum MovementLabel: Hashable, Sendable {
    /// It was not entitled before.
    case entry(Gain)
    /// It is entitled before and after.
    case change
    /// It is no longer entitled.
    case end(EndReason)

    public static let all: [MovementLabel] =
        [.change] + Gain.allCases.map { .entry($0) } + EndReason.allCases.map { .end($0) }
}

/// A change of class, independent of chain and time; the roll-forward is summed from the counts of
/// each by time. There is no movement between stretches without access.
public struct ClassMovement: Hashable, Sendable {
    /// Nil if the chain was not entitled.
    public var before: CountedClass?
    /// Nil if the chain is no longer entitled.
    public var after: CountedClass?
    public var label: MovementLabel

    public init(before: CountedClass?, after: CountedClass?, label: MovementLabel) {
        self.before = before
        self.after = after
        self.label = label
    }
}

extension CountedStretch {
    /// Why a chain moved into this stretch; nil if it was entitled neither before nor now.
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
    /// Changes of class in order, with their times: a roll-forward's only input of a chain. An
    /// unchanged renewal adds none.
    public var classMovements: [(at: Timestamp, movement: ClassMovement)] {
        var found: [(at: Timestamp, movement: ClassMovement)] = []
        found.reserveCapacity(stretches.count)
        // Of the last stretch with access; nil if there is none.
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
