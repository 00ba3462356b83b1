import AppStore

/// The renewal info of the chain as Apple's books hold it.
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
