import AppStore

/// A subscription offer as a transaction states it.
struct SimulatedOffer: Hashable, Sendable {
    let type: OfferType
    let discountType: OfferDiscountType
    let identifier: String?
    let period: ISO8601Period
    /// Price of a period under the offer, in milliunits.
    let price: Int64

    /// The ledger's phase of a period under the offer (`Lifecycle.md` §2, `phase`).
    var phase: TruePhase {
        if discountType == .freeTrial { return .trial }
        return type == .introductoryOffer ? .intro : .offer
    }

    /// An offer of the type on the product; the seed selects its kind.
    static func offer(
        _ type: OfferType, on product: SimulatedProduct, _ random: inout SeededGenerator
    ) -> SimulatedOffer {
        let own = product.period ?? ISO8601Period(months: 1)
        let identifier = type == .introductoryOffer ? nil : "offer.\(random.below(9))"
        switch random.below(3) {
        case 0:
            let free = random.pick([ISO8601Period(days: 7), ISO8601Period(months: 1)])
            return SimulatedOffer(
                type: type, discountType: .freeTrial, identifier: identifier, period: free,
                price: 0)
        case 1:
            return SimulatedOffer(
                type: type, discountType: .payAsYouGo, identifier: identifier, period: own,
                price: product.price / 2)
        default:
            return SimulatedOffer(
                type: type, discountType: .payUpFront, identifier: identifier,
                period: ISO8601Period(months: 3), price: product.price / 4)
        }
    }
}
