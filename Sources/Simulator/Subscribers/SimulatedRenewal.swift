import AppStore

/// The chain's renewal info in Apple's books.
struct SimulatedRenewal: Sendable {
    var willRenew = true
    var nextProduct: SimulatedProduct
    var nextOffer: SimulatedOffer?
    var intent: ExpirationIntent?
    var isInBillingRetry: Bool?
    var graceEnd: Timestamp?
    var priceIncrease: PriceIncreaseStatus?
    var commitmentWillRenew = true
}
