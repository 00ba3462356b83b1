/// The state of a price increase.
public enum TruePriceIncrease: String, Sendable, CaseIterable {
    case pending
    case accepted
}
