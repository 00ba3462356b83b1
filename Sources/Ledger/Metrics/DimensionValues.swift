import AppStore

/// The values of a chain's dimensions while a period governs: those of the period (`Metrics.md`,
/// "groups"). Nil where nothing is stated.
///
/// Copies share storage: a chain's stretches repeat the same values, and classes of millions of
/// chains are passed around.
public struct DimensionValues: Hashable, Sendable {
    private var stated: Shared<Stated>

    private struct Stated: Hashable, Sendable {
        let app: BundleId
        let product: ProductId?
        let group: String?
        let storefront: String?
        var currency: String?
        let offer: Offer?
        let phase: ChainAnswer.Phase
        let ownership: ChainAnswer.Ownership
    }

    public var app: BundleId { stated.value.app }
    public var product: ProductId? { stated.value.product }
    /// The catalogue's name of the group, else Apple's identifier.
    public var group: String? { stated.value.group }
    public var storefront: String? { stated.value.storefront }
    /// Stated together with a price.
    public var currency: String? {
        get { stated.value.currency }
        set {
            var changed = stated.value
            changed.currency = newValue
            stated = Shared(changed)
        }
    }
    public var offer: Offer? { stated.value.offer }
    public var phase: ChainAnswer.Phase { stated.value.phase }
    public var ownership: ChainAnswer.Ownership { stated.value.ownership }

    /// Every value not given is nil.
    public init(
        app: BundleId, product: ProductId? = nil, group: String? = nil, storefront: String? = nil,
        currency: String? = nil, offer: Offer? = nil, phase: ChainAnswer.Phase = .standard,
        ownership: ChainAnswer.Ownership = .purchased
    ) {
        stated = Shared(
            Stated(
                app: app, product: product, group: group, storefront: storefront,
                currency: currency, offer: offer, phase: phase, ownership: ownership))
    }

    init(_ snapshot: Shared<TransactionSnapshot>, app: BundleId, catalogue: Catalogue) {
        self.init(
            app: app, product: snapshot.productId,
            group: snapshot.productId.flatMap { catalogue.products[$0]?.group }
                ?? snapshot.subscriptionGroupIdentifier?.rawValue,
            storefront: snapshot.storefront, currency: snapshot.currency, offer: snapshot.offer,
            phase: snapshot.phase, ownership: snapshot.ownership)
    }

    /// The value of one dimension; nil for `reason`, which periods do not have.
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

extension Shared<TransactionSnapshot> {
    /// Whether another snapshot has the same `DimensionValues` under every catalogue.
    func isGrouped(like other: Shared<TransactionSnapshot>) -> Bool {
        self.productId == other.productId
            && self.subscriptionGroupIdentifier == other.subscriptionGroupIdentifier
            && self.storefront == other.storefront && self.currency == other.currency
            && self.inAppOwnershipType == other.inAppOwnershipType && self.offer == other.offer
            // An offer's phase may depend on the price, and on what a receipt states of a trial.
            && (self.offer == nil
                || (self.price == other.price && self.isTrialPeriod == other.isTrialPeriod))
    }
}

extension Offer {
    /// `promotional/winter/PAY_AS_YOU_GO`: the stated parts of type, identifier and discount type.
    /// Nil if none is stated.
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
