/// A dimension to group or filter a metric by (`Metrics.md`, "groups"). Raw values are part of the
/// contract.
public enum Dimension: String, Sendable, CaseIterable {
    /// Bundle id.
    case app
    case product
    /// Subscription group: the catalogue's name for it, else Apple's identifier.
    case group
    /// Storefront of the period's purchase, as Apple writes it (`USA`).
    case country
    /// The same under Apple's name.
    case storefront
    /// ISO 4217.
    case currency
    /// Type, identifier and discount type of the offer in one text.
    case offer
    /// Apple's number: 1 introductory, 2 promotional, 3 offer code, 4 win-back.
    case offerType
    case offerIdentifier
    case offerDiscountType
    /// Price kind of the period: trial, intro, offer, standard.
    case phase
    case ownership
    /// Why access ended. Only churned chains have one.
    case reason
}
