public import AppStore

/// The true attributes of a subscription at one time (`Lifecycle.md` §2, "Attributes at t"), always
/// one at which Apple signed a renewal info.
public struct TrueMoment: Hashable, Sendable {
    /// signedDate of the renewal info.
    public let at: Timestamp
    /// The state at that time.
    public let state: TrueState
    /// Product of the governing period.
    public let productId: ProductId
    /// Auto-renew according to that renewal info.
    public let willRenew: Bool
    /// The next renewal's product, if it is a different one and a renewal is due.
    public let nextProductId: ProductId?
    /// End of the uninterrupted entitled time around the moment; nil without access.
    public let accessUntil: Timestamp?
    /// The pricing of the governing period.
    public let phase: TruePhase
    /// Milliunits of the currency.
    public let price: Int64
    /// ISO 4217.
    public let currency: String
    /// Nil when there is no increase.
    public let priceIncrease: TruePriceIncrease?
}
