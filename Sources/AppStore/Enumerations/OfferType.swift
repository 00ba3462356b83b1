/// Kind of subscription offer (App Store Server API, `offerType`).
public enum OfferType: Int64, Sendable, CaseIterable {
    /// Once per customer and group.
    case introductoryOffer = 1
    /// For current and lapsed subscribers, signed by the developer.
    case promotionalOffer = 2
    case offerCode = 3
    /// For lapsed subscribers.
    case winBackOffer = 4
}
