/// Where a price increase stands.
public enum TruePriceIncrease: String, Sendable, CaseIterable {
    case pending
    case accepted
}
