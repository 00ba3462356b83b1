public import AppStore
package import Ledger

/// A product as configured in App Store Connect, including what payloads omit, such as the level.
public struct SimulatedProduct: Hashable, Sendable {
    /// As in payloads.
    public let productId: ProductId
    /// Kind of in-app purchase.
    public let type: ProductType
    /// Name of the subscription group; nil unless auto-renewable.
    public let group: String?
    /// Level inside the group; 1 is the highest service.
    public let level: Int?
    /// Length of a period of an auto-renewable subscription.
    public let period: ISO8601Period?
    /// How long a non-renewing subscription lasts.
    public let duration: ISO8601Period?
    /// Milliunits of the currency.
    public let price: Int64
    /// Billing periods of a commitment billed monthly; nil when billed up front.
    public let commitmentPeriods: Int64?

    init(
        _ id: String, _ type: ProductType, level: Int? = nil, period: ISO8601Period? = nil,
        duration: ISO8601Period? = nil, price: Int64, commitmentPeriods: Int64? = nil
    ) {
        productId = ProductId(id)
        self.type = type
        group = type == .autoRenewableSubscription ? "pro" : nil
        self.level = level
        self.period = period
        self.duration = duration
        self.price = price
        self.commitmentPeriods = commitmentPeriods
    }

    /// A group of three levels and five lengths, a commitment, and one purchase of each other type.
    public static let catalogue: [SimulatedProduct] = renewable + [commitment] + oneTime

    static let renewable: [SimulatedProduct] = [
        subscription("premium.monthly", level: 1, months: 1, price: 19_990),
        subscription("premium.yearly", level: 1, months: 12, price: 149_990),
        subscription("pro.weekly", level: 2, days: 7, price: 2990),
        subscription("pro.monthly", level: 2, months: 1, price: 9990),
        subscription("pro.plus.monthly", level: 2, months: 1, price: 10_990),
        subscription("pro.halfyearly", level: 2, months: 6, price: 49_990),
        subscription("pro.yearly", level: 2, months: 12, price: 79_990),
        subscription("basic.monthly", level: 3, months: 1, price: 4990),
        subscription("basic.quarterly", level: 3, months: 3, price: 12_990),
    ]

    /// The products of a higher service.
    static func above(_ product: SimulatedProduct) -> [SimulatedProduct] {
        renewable.filter { ($0.level ?? 0) < product.level ?? 0 }
    }

    static let commitment = SimulatedProduct(
        "com.example.pro.commitment", .autoRenewableSubscription, level: 2,
        period: ISO8601Period(months: 1), price: 7990, commitmentPeriods: 12)

    static let oneTime: [SimulatedProduct] = [
        SimulatedProduct("com.example.lifetime", .nonConsumable, price: 199_990),
        SimulatedProduct("com.example.coins", .consumable, price: 990),
        SimulatedProduct(
            "com.example.pass", .nonRenewingSubscription, duration: ISO8601Period(days: 30),
            price: 5990),
        SimulatedProduct(
            "com.example.season", .nonRenewingSubscription, duration: ISO8601Period(months: 1),
            price: 6990),
    ]

    private static func subscription(
        _ name: String, level: Int, months: Int64 = 0, days: Int64 = 0, price: Int64
    ) -> SimulatedProduct {
        SimulatedProduct(
            "com.example.\(name)", .autoRenewableSubscription, level: level,
            period: ISO8601Period(months: months, days: days), price: price)
    }
}

extension Catalogue {
    /// Every simulated product, with access to `pro`.
    package static let simulated = Catalogue(
        products: Dictionary(
            uniqueKeysWithValues: SimulatedProduct.catalogue.map { product in
                (
                    product.productId,
                    Catalogue.Product(
                        entitlements: ["pro"], group: product.group, level: product.level,
                        period: product.period, duration: product.duration)
                )
            }))
}
