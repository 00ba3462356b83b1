import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §3: purchase and amount of a refund, products of a change.
@Suite("§3: values of facts")
struct TimelineEventDetailTests {
    private let bought = Fact.subscribed("1", day(0), day(30)).transaction {
        $0.price = 9_990
        $0.currency = "USD"
    }

    private func refund(_ change: (inout TransactionSnapshot) -> Void = { _ in }) -> Fact {
        .notification(.refund, "1", day(0), day(30), at: day(10)).transaction {
            $0.price = 9_990
            $0.currency = "USD"
            change(&$0)
        }.revoked(day(9))
    }

    @Test("A refund names its transaction, its period and its amount")
    func refunded() throws {
        let life = given(bought, .didRenew("2", day(30), day(60)), refund())
        let fact = try #require(life.timelineEvents(.refunded).first)
        #expect(fact.transactionId == TransactionId("1"))
        #expect(fact.productId == ProductId("pro.monthly"))
        let refund = try #require(fact.refund)
        #expect(refund.amount == Money(milliunits: 9_990, currency: "USD"))
        #expect(refund.from == day(0) && refund.to == day(30))
        #expect(life.timelineEvents(.renewed).allSatisfy { $0.detail == nil })
    }

    @Test(
        "A prorated refund has the stated part, rounded half to even",
        arguments: [
            (33_333, 3_330), (50_000, 4_995), (0, 0), (100_001, 9_990), (-1, 0), (nil, 9_990),
        ] as [(Int64?, Int64)])
    func prorated(_ percentage: Int64?, _ amount: Int64) {
        let life = given(bought, refund { $0.revocationPercentage = percentage })
        #expect(life.timelineEvents(.refunded).map { $0.refund?.amount?.milliunits } == [amount])
    }

    @Test(
        "The percentage stated last for the refund counts, of any type of purchase",
        arguments: [ProductType.autoRenewableSubscription, .consumable, .nonConsumable])
    func percentageLater(_ type: ProductType) {
        func stated(_ percentage: Int64?, at time: Timestamp) -> Fact {
            refund { snapshot in
                snapshot.type = Raw(type)
                if type != .autoRenewableSubscription { snapshot.expiresDate = nil }
                snapshot.revocationPercentage = percentage
            }.with { $0.signedDate = time }
        }
        let facts = [stated(nil, at: day(10)), stated(50_000, at: day(20))]
        #expect(
            given(facts).timelineEvents(.refunded).map { $0.refund?.amount?.milliunits } == [4_995])
        let again = given(facts + [stated(nil, at: day(30)), stated(20_000, at: day(15))])
        #expect(again.timelineEvents(.refunded).map { $0.refund?.amount?.milliunits } == [4_995])
    }

    @Test("Without a price there is no amount")
    func unpriced() {
        let changes: [(inout TransactionSnapshot) -> Void] = [
            { $0.price = nil }, { $0.currency = nil }, { $0.price = -1 }, { $0.price = .max },
        ]
        for change in changes {
            let life = given(.subscribed("1", day(0), day(30)), refund(change))
            #expect(life.timelineEvents(.refunded).map { $0.refund?.amount } == [nil])
            #expect(life.timelineEvents(.refunded).map { $0.refund?.from } == [day(0)])
        }
    }

    @Test("A reversal has the values of its refund; one without a known refund has none")
    func reversed() {
        let back = Fact.notification(.refundReversed, "1", day(0), day(30), at: day(12))
        let priced = back.transaction {
            $0.price = 9_990
            $0.currency = "USD"
        }
        let life = given(bought, refund(), priced)
        #expect(
            life.timelineEvents(.refundReversed).map(\.refund)
                == life.timelineEvents(.refunded).map(\.refund))
        #expect(life.timelineEvents(.refundReversed).map(\.events) == [[2, 3]])
        #expect(given(bought, back).timelineEvents(.refundReversed).map(\.refund) == [nil])
    }

    @Test("A permanent purchase has no end")
    func forEver() {
        let coins = refund { snapshot in
            snapshot.type = Raw(.consumable)
            snapshot.expiresDate = nil
        }
        let life = given(coins)
        #expect(life.timelineEvents(.refunded).map { $0.refund?.to } == [nil])
        #expect(life.timelineEvents(.refunded).map { $0.refund?.amount?.milliunits } == [9_990])
    }

    @Test("A product change names both products: scheduled, cancelled, made")
    func changes() {
        func plan(_ next: String, at signedDate: Timestamp) -> Fact {
            .renewalInfo(at: signedDate) {
                $0.productId = ProductId("a")
                $0.autoRenewProductId = ProductId(next)
            }
        }
        let life = given(
            bought, plan("b", at: day(3)), plan("c", at: day(5)), plan("a", at: day(6)))
        func lines(_ life: Lifecycle) -> [String] {
            life.timelineEvents.compactMap { fact in
                fact.change.map { "\(fact.name) \($0.from) \($0.to)" }
            }
        }
        #expect(
            lines(life) == [
                "productChangeScheduled a b", "productChangeScheduled a c",
                "productChangeCancelled a c",
            ])
        let upgraded = given(
            bought, .didRenew("2", day(10), day(40)).transaction { $0.productId = ProductId("b") })
        #expect(lines(upgraded) == ["upgraded pro.monthly b"])
    }

    @Test("The values of a fact are part of the state's bytes")
    func stateBytes() {
        // The newest period has no revocation.
        let renewed = Fact.didRenew("2", day(30), day(60))
        let life = given(bought, refund(), renewed)
        let half = given(bought, refund { $0.revocationPercentage = 50_000 }, renewed)
        #expect(life.timelineEvents.map(\.at) == half.timelineEvents.map(\.at))
        #expect(life.answer(day(59))?.revocation == nil)
        #expect(life.stateBytes != half.stateBytes)
    }
}
