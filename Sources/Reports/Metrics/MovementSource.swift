/// The source of a roll-forward. All give the same answer; they differ in cost.
package enum MovementSource: String, Sendable, CaseIterable {
    /// Sums by month and day of the report zone; the cost grows with the number of rows.
    case sums
    /// Stored contributions of each chain: any zone, any range.
    case contributions
    /// Every chain folded from its facts.
    case facts
}
