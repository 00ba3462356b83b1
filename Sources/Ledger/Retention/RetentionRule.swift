import AppStore

/// Which retention message is shown, and to which subscriptions: every condition that is stated
/// must hold. Of several rules the first one decides (`Service.md`, Retention messages).
public struct RetentionRule: Sendable, Equatable {
    /// Names it in records and reports.
    public var name: String
    /// The UUID of a message that Apple has approved.
    public var message: String
    /// A product to switch to; the message then names it.
    public var alternateProduct: ProductId?
    /// How that product is billed; nil: the message does not say.
    public var billingPlanType: BillingPlanType?
    /// The identifier of a promotional offer for the subscription's product; excludes
    /// `alternateProduct`.
    public var promotionalOffer: String?
    /// Nil: every environment.
    public var environment: Environment?
    /// Nil: every app.
    public var bundleId: BundleId?
    /// Empty: every product.
    public var products: [ProductId] = []
    /// Compared without regard to case; empty: every locale.
    public var locales: [String] = []
    /// Empty: every phase.
    public var phases: [ChainAnswer.Phase] = []
    public var tenureDays = Bounds()
    public var price: Price?
    public var refunds = Bounds()
    public var cancellations = Bounds()

    /// A rule for every subscription.
    public init(name: String, message: String) {
        self.name = name
        self.message = message
    }

    /// A half-open range; an end that is nil is open.
    public struct Bounds: Sendable, Equatable {
        public var from: Int64?
        public var below: Int64?

        public init(from: Int64? = nil, below: Int64? = nil) {
            self.from = from
            self.below = below
        }

        public func contains(_ value: Int64) -> Bool {
            (from.map { $0 <= value } ?? true) && (below.map { value < $0 } ?? true)
        }
    }

    /// A price in one currency; a subscription in another one, or without a known price, has none.
    public struct Price: Sendable, Equatable {
        public var currency: String
        /// As in Apple's transactions: 1990 is USD 1.99.
        public var milliunits: Bounds

        public init(currency: String, milliunits: Bounds) {
            self.currency = currency
            self.milliunits = milliunits
        }
    }

    /// Whether every condition holds.
    public func applies(to situation: RetentionSituation) -> Bool {
        guard environment.map({ $0 == situation.environment }) ?? true,
            bundleId.map({ $0 == situation.bundleId }) ?? true,
            phases.isEmpty || phases.contains(situation.phase),
            products.isEmpty || situation.productId.map({ products.contains($0) }) ?? false,
            tenureDays.contains(situation.tenureDays), refunds.contains(situation.refunds),
            cancellations.contains(situation.cancellations)
        else { return false }
        if !locales.isEmpty {
            guard let locale = situation.locale?.lowercased(),
                locales.contains(where: { $0.lowercased() == locale })
            else { return false }
        }
        guard let price else { return true }
        guard let paid = situation.price, paid.currency == price.currency else { return false }
        return price.milliunits.contains(paid.milliunits)
    }
}
