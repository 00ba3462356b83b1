public import AppStore

/// What is true of a subscription at one moment beside its state (`lifecycle.md` §2, "Attributes
/// at t"). The moments are those at which Apple signed a renewal info.
public struct TrueMoment: Hashable, Sendable {
    /// signedDate of the renewal info.
    public let at: Timestamp
    /// The state then.
    public let state: TrueState
    /// Product of the period that governs then.
    public let productId: ProductId
    /// Auto-renew as that renewal info says.
    public let willRenew: Bool
    /// The next renewal's product, when it is another one and there will be a renewal.
    public let nextProductId: ProductId?
    /// End of the unbroken entitled time around the moment; nil without access.
    public let accessUntil: Timestamp?
    /// How the governing period is priced.
    public let phase: TruePhase
    /// Milliunits of the currency.
    public let price: Int64
    /// ISO 4217.
    public let currency: String
    /// Nil when there is no increase.
    public let priceIncrease: TruePriceIncrease?
}
