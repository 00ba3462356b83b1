import AppStore
import Ledger
import Testing

@Suite("Rules for retention messages")
struct RetentionRuleTests {
    private let app = BundleId("com.example.app")

    private var situation: RetentionSituation {
        RetentionSituation(
            bundleId: app, environment: .production, productId: ProductId("pro"),
            locale: "en-US", tenureDays: 90, price: Money(milliunits: 9_990, currency: "USD"),
            refunds: 1, cancellations: 2)
    }

    private func rule(_ change: (inout RetentionRule) -> Void = { _ in }) -> RetentionRule {
        var rule = RetentionRule(name: "r", message: "m")
        change(&rule)
        return rule
    }

    @Test("A condition that does not hold excludes a subscription")
    func excluded() {
        let rules = [
            rule { $0.environment = .sandbox }, rule { $0.bundleId = BundleId("another") },
            rule { $0.products = [ProductId("basic")] }, rule { $0.locales = ["de-DE"] },
            rule { $0.phases = [.trial] }, rule { $0.tenureDays.from = 91 },
            rule { $0.tenureDays.below = 90 }, rule { $0.refunds.below = 1 },
            rule { $0.cancellations.from = 3 },
            rule {
                $0.price = RetentionRule.Price(
                    currency: "EUR", milliunits: RetentionRule.Bounds())
            },
            rule {
                $0.price = RetentionRule.Price(
                    currency: "USD", milliunits: RetentionRule.Bounds(below: 9_990))
            },
        ]
        for rule in rules { #expect(!rule.applies(to: situation)) }
    }

    @Test("What is unknown satisfies no condition about it")
    func unknown() {
        var bare = situation
        (bare.productId, bare.locale, bare.price) = (nil, nil, nil)
        #expect(!rule { $0.products = [ProductId("pro")] }.applies(to: bare))
        #expect(!rule { $0.locales = ["en-US"] }.applies(to: bare))
        let price = RetentionRule.Price(currency: "USD", milliunits: RetentionRule.Bounds())
        #expect(!rule { $0.price = price }.applies(to: bare))
        #expect(rule().applies(to: bare))
    }

    @Test("Bounds include their beginning; every condition together applies")
    func applies() {
        let full = rule {
            $0.environment = .production
            $0.bundleId = app
            $0.products = [ProductId("basic"), ProductId("pro")]
            $0.locales = ["en-us"]
            $0.phases = [.standard]
            $0.tenureDays = RetentionRule.Bounds(from: 90, below: 91)
            $0.price = RetentionRule.Price(
                currency: "USD", milliunits: RetentionRule.Bounds(from: 9_990, below: 9_991))
            $0.refunds = RetentionRule.Bounds(from: 1)
            $0.cancellations = RetentionRule.Bounds(below: 3)
        }
        #expect(full.applies(to: situation))
    }

    @Test("A subscription's situation is that of its facts up to the moment")
    func situated() {
        let life = given(
            .subscribed("1", day(0), day(30)).transaction {
                $0.price = 9_990
                $0.currency = "USD"
            },
            .autoRenew(false, at: day(5)), .autoRenew(true, at: day(6)),
            .didRenew("2", day(30), day(60)), .autoRenew(false, at: day(40)))
        let asked = RetentionSituation(bundleId: app, environment: .production)
        #expect(life.situation(at: day(-1), of: asked) == nil)
        let early = life.situation(at: day(10), of: asked)
        #expect(early?.cancellations == 1)
        #expect(early?.price == Money(milliunits: 9_990, currency: "USD"))
        let late = life.situation(at: day(41), of: asked)
        #expect(late?.cancellations == 2)
        #expect(late?.tenureDays == 41)
        #expect(late?.refunds == 0)
        #expect(late?.phase == .standard)
    }

    @Test("The tenure of a subscription that was adopted later counts from its original purchase")
    func adoptedTenure() {
        let asked = RetentionSituation(bundleId: app, environment: .production)
        let adopted = given(
            Fact.didRenew("9", day(600), day(630)).transaction {
                $0.originalPurchaseDate = day(0, hour)
            },
            .didRenew("10", day(630), day(660)))
        #expect(adopted.situation(at: day(610), of: asked)?.tenureDays == 609)
        #expect(adopted.situation(at: day(640, hour), of: asked)?.tenureDays == 640)
        let silent = given(.didRenew("9", day(600), day(630)))
        #expect(silent.situation(at: day(610), of: asked)?.tenureDays == 10)
        // A date after the first period is no earlier beginning.
        let restated = given(
            Fact.subscribed("1", day(0), day(30)).transaction {
                $0.originalPurchaseDate = day(1)
            })
        #expect(restated.situation(at: day(20), of: asked)?.tenureDays == 20)
    }

    @Test("A refund counts from its date until it is reversed")
    func refunded() {
        let life = given(
            .subscribed("1", day(0), day(30)), .didRenew("2", day(30), day(60)),
            .notification(.refund, "1", day(0), day(30), at: day(40)).revoked(day(39)),
            .notification(.refundReversed, "1", day(0), day(30), at: day(45)))
        let asked = RetentionSituation(bundleId: app, environment: .production)
        #expect(life.situation(at: day(39, -1), of: asked)?.refunds == 0)
        #expect(life.situation(at: day(39), of: asked)?.refunds == 1)
        #expect(life.situation(at: day(45, -1), of: asked)?.refunds == 1)
        #expect(life.situation(at: day(45), of: asked)?.refunds == 0)
    }

    @Test("A family revocation is no refund")
    func familyRevoked() {
        let life = given(
            .subscribed("1", day(0), day(30)), .didRenew("2", day(30), day(60)),
            .notification(.revoke, "1", day(0), day(30), at: day(40))
                .revoked(day(39), .familyRevoke))
        let asked = RetentionSituation(bundleId: app, environment: .production)
        #expect(life.situation(at: day(42), of: asked)?.refunds == 0)
    }

    @Test("A reversal whose refund is not known does not undo another refund")
    func reversedAlone() {
        let life = given(
            .subscribed("1", day(0), day(30)), .didRenew("2", day(30), day(60)),
            .notification(.refund, "1", day(0), day(30), at: day(40)).revoked(day(39)),
            .notification(.refundReversed, "2", day(30), day(60), at: day(45)))
        let asked = RetentionSituation(bundleId: app, environment: .production)
        #expect(life.situation(at: day(50), of: asked)?.refunds == 1)
    }
}
