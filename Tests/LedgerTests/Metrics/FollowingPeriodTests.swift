import AppStore
import Ledger
import Testing

/// `Metrics.md`, `retention` and `proceeds`: what follows an offer, a free period, an extension.
@Suite("Periods that follow offers and extensions")
struct FollowingPeriodTests {
    private let bought = Fact.subscribed("1", day(0), day(30)).priced(10_000)

    private static let monthly = Catalogue(products: [
        ProductId("pro.monthly"): Catalogue.Product(period: ISO8601Period(months: 1))
    ])

    /// Three months paid up front.
    private let upFront = Fact.subscribed("1", day(0), day(91)).priced(20_000).transaction {
        $0.offer = Offer(
            type: Raw(.introductoryOffer), discountType: Raw(.payUpFront), period: "P3M")
    }

    private func free(_ id: String, _ from: Timestamp, _ to: Timestamp) -> Fact {
        Fact.didRenew(id, from, to).priced(0).transaction {
            $0.offer = Offer(
                type: Raw(.promotionalOffer), discountType: Raw(.freeTrial), period: "P3M")
        }
    }

    /// Sums of all columns that are not 0.
    private func reported(
        _ life: Lifecycle, _ metric: CountedMetric, limit: Timestamp = day(2_000),
        _ catalogue: Catalogue = FollowingPeriodTests.monthly
    ) -> [String: Int64] {
        life.occurrences(of: metric, in: app, catalogue: catalogue, limit: limit, instants: [])
            .reduce(into: [:]) { sums, found in
                for (column, amount) in found.amounts where amount != 0 {
                    sums[column, default: 0] += amount
                }
            }
    }

    // MARK: Retention

    @Test("After an offer paid up front, periods have the product's length")
    func afterUpFront() {
        let lost = given(
            upFront, .autoRenew(false, at: day(40)), .expired(at: day(91)),
            catalogue: FollowingPeriodTests.monthly)
        let stayed = given(
            upFront, Fact.didRenew("2", day(91), day(121)).priced(10_000),
            Fact.didRenew("3", day(121), day(152)).priced(10_000),
            catalogue: FollowingPeriodTests.monthly)
        let found = [lost, stayed].map { reported($0, .retention, limit: day(140)) }
        #expect(found.map { $0["step.3.chance"] } == [1, 1])
        #expect(found.map { $0["step.3.reached"] } == [nil, 1])
        #expect(found.map { $0["step.4.chance"] } == [nil, nil])
    }

    @Test("Without a catalogue, a period that was not paid up front gives the length")
    func withoutCatalogue() {
        let offered = Fact.didRenew("2", day(30), day(121)).priced(20_000).transaction {
            $0.offer = Offer(
                type: Raw(.promotionalOffer), discountType: Raw(.payUpFront), period: "P3M")
        }
        let life = given(bought, offered, .expired(at: day(121)))
        let found = reported(life, .retention, limit: day(160), Catalogue())
        #expect(found["step.4.chance"] == 1 && found["step.5.chance"] == nil)
    }

    @Test("A free period is not a missed one: the next may begin at its end")
    func duringFree() {
        let life = given(
            bought, Fact.didRenew("2", day(30), day(60)).priced(10_000),
            free("3", day(60), day(150)), catalogue: FollowingPeriodTests.monthly)
        #expect(reported(life, .retention, limit: day(149))["step.3.chance"] == nil)
        let ended = reported(life, .retention, limit: day(150))
        #expect(ended["step.3.chance"] == 1 && ended["step.3.reached"] == nil)
    }

    @Test("A free period after a break does not take missed steps back")
    func freeAfterBreak() {
        let life = given(
            bought, .expired(at: day(30)), free("2", day(500), day(590)),
            catalogue: FollowingPeriodTests.monthly)
        for limit in [day(499), day(520), day(600)] {
            let found = reported(life, .retention, limit: limit)
            #expect(found["step.2.chance"] == 1 && found["step.10.chance"] == 1)
        }
    }

    // MARK: Proceeds

    @Test("Days of an extension are not paid service")
    func extended() {
        func life(_ end: Int64) -> Lifecycle {
            given(
                Fact.subscribed("1", day(0), day(end)).priced(10_000),
                Fact.transaction("1", day(0), day(370), at: day(300)).priced(10_000),
                Fact.didRenew("2", day(370), day(735)).priced(10_000))
        }
        #expect(reported(life(360), .proceeds)["atHigherRate"] == nil)
        #expect(reported(life(365), .proceeds)["atHigherRate"] == 1)
    }

    @Test(
        "Service paid for in grace counts from the end of the period before, paid in retry from then",
        arguments: [(day(23), 1), (nil, nil)] as [(Timestamp?, Int64?)])
    func paidLate(_ grace: Timestamp?, _ higher: Int64?) {
        let life = given(
            Fact.subscribed("1", day(0), day(7)).asTrial,
            .didFailToRenew(at: day(7, hour), grace: grace),
            Fact.didRenew("2", day(12), day(372), at: day(12), .billingRecovery).priced(100_000),
            Fact.didRenew("3", day(372), day(737)).priced(100_000))
        let failed: ChainState = grace == nil ? .billingRetry : .grace
        #expect(life.history.contains { $0.state == failed })
        #expect(reported(life, .proceeds)["atHigherRate"] == higher)
    }

    @Test("A free period is neither paid service nor a gap")
    func freeBetween() {
        func life(_ begin: Int64) -> Lifecycle {
            given(
                Fact.subscribed("1", day(0), day(300)).priced(10_000),
                free("2", day(begin), day(begin + 100)),
                Fact.didRenew("3", day(begin + 100), day(begin + 165)).priced(10_000),
                Fact.didRenew("4", day(begin + 165), day(begin + 195)).priced(10_000))
        }
        // 300 days before and 65 after it, without its own 100.
        #expect(reported(life(300), .proceeds)["atHigherRate"] == 1)
        #expect(reported(life(360), .proceeds)["atHigherRate"] == 1)
        #expect(reported(life(361), .proceeds)["atHigherRate"] == nil)
    }
}
