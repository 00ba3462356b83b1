/// What a metric can be broken down by, and filtered on (`metrics.md`, "groups"). Raw values are the
/// contract's.
public enum Dimension: String, Sendable, CaseIterable {
    /// Bundle id.
    case app
    case product
    /// Subscription group: the catalogue's name for it, else Apple's identifier.
    case group
    /// Where the period was bought, as Apple writes it (`USA`).
    case country
    /// The same under Apple's word.
    case storefront
    /// ISO 4217.
    case currency
    /// Type, identifier and discount type of the offer in one text.
    case offer
    /// Apple's number: 1 introductory, 2 promotional, 3 offer code, 4 win-back.
    case offerType
    case offerIdentifier
    case offerDiscountType
    /// How the period is priced: trial, intro, offer, standard.
    case phase
    case ownership
    /// Why access ended. Splits those who left; nothing else has one.
    case reason
}
