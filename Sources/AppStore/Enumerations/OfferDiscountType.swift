/// How an offer is paid (App Store Server API, `offerDiscountType`).
public enum OfferDiscountType: String, Sendable, CaseIterable {
    case freeTrial = "FREE_TRIAL"
    /// A reduced price each period.
    case payAsYouGo = "PAY_AS_YOU_GO"
    /// One reduced price for the whole offer.
    case payUpFront = "PAY_UP_FRONT"
    /// On a product that is not a subscription.
    case oneTime = "ONE_TIME"
}
