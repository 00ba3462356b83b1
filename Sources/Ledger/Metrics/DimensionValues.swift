import AppStore

/// What a chain is grouped by while a period governs: that period's values (`metrics.md`,
/// "groups"). Nil where nothing is stated.
public struct DimensionValues: Hashable, Sendable {
    public var app: BundleId
    public var product: ProductId?
    /// The catalogue's name of the group, else Apple's identifier.
    public var group: String?
    public var storefront: String?
    /// Stated beside a price.
    public var currency: String?
    public var offer: Offer?
    public var phase: ChainAnswer.Phase
    public var ownership: ChainAnswer.Ownership

    /// Nothing stated but what is given.
    public init(
        app: BundleId, product: ProductId? = nil, group: String? = nil, storefront: String? = nil,
        currency: String? = nil, offer: Offer? = nil, phase: ChainAnswer.Phase = .standard,
        ownership: ChainAnswer.Ownership = .purchased
    ) {
        self.app = app
        self.product = product
        self.group = group
        self.storefront = storefront
        self.currency = currency
        self.offer = offer
        self.phase = phase
        self.ownership = ownership
    }

    init(_ snapshot: Shared<TransactionSnapshot>, app: BundleId, catalogue: Catalogue) {
        self.app = app
        product = snapshot.productId
        group =
            snapshot.productId.flatMap { catalogue.products[$0]?.group }
            ?? snapshot.subscriptionGroupIdentifier?.rawValue
        storefront = snapshot.storefront
        currency = snapshot.currency
        offer = snapshot.offer
        phase = snapshot.phase
        ownership = snapshot.ownership
    }

    /// The value of one dimension; nil for `reason`, which no period has.
    public subscript(dimension: Dimension) -> String? {
        switch dimension {
        case .app: app.rawValue
        case .product: product?.rawValue
        case .group: group
        case .country, .storefront: storefront
        case .currency: currency
        case .offer: offer.flatMap { $0.label }
        case .offerType: offer?.type.map { String($0.rawValue) }
        case .offerIdentifier: offer?.identifier
        case .offerDiscountType: offer?.discountType?.rawValue
        case .phase: phase.rawValue
        case .ownership: ownership.rawValue
        case .reason: nil
        }
    }
}

extension Offer {
    /// `promotional/winter/PAY_AS_YOU_GO`: what is stated of type, identifier and discount type.
    /// Nil when none of them is.
    public var label: String? {
        let kind: String? = type.map { type in
            switch type.value {
            case .introductoryOffer: "introductory"
            case .promotionalOffer: "promotional"
            case .offerCode: "offerCode"
            case .winBackOffer: "winBack"
            case nil: String(type.rawValue)
            }
        }
        let parts = [kind, identifier, discountType?.rawValue].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "/")
    }
}
