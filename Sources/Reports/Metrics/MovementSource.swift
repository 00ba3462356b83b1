/// Where a roll-forward comes from. All give the same answer; they differ in how long they take.
package enum MovementSource: String, Sendable, CaseIterable {
    /// Sums by month and day of the report zone: as long as the rows are many.
    case sums
    /// What each chain contributes, as it is stored: any zone, any time.
    case contributions
    /// Every chain folded from its facts.
    case facts
}
