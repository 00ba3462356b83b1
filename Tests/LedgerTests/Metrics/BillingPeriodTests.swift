import AppStore
import Ledger
import Testing

@Suite("Billing periods and a year of a price")
struct BillingPeriodTests {
    private func stretch(
        _ fact: Fact, catalogue: Catalogue = Catalogue(), _ environment: Environment
    )
        -> CountedStretch?
    {
        given([fact], environment: environment, catalogue: catalogue).metrics(catalogue)
            .stretches.first
    }

    @Test(
        "A year of every length Apple sells is exact",
        arguments: [
            ("P1D", 365), ("P1W", 52), ("P7D", 52), ("P2W", 26), ("P1M", 12), ("P2M", 6),
            ("P3M", 4), ("P6M", 2), ("P1Y", 1),
        ] as [(String, Int64)])
    func factors(_ text: String, _ factor: Int64) throws {
        let length = try #require(ISO8601Period(text))
        let period = BillingPeriod(length: length, isInferred: false)
        #expect(period.annualised(9_990) == 9_990 * factor)
        #expect(period.annualised(0) == 0)
    }

    @Test(
        "Other lengths are rounded half-even once; lengths without a yearly factor have no year",
        arguments: [
            ("P2Y", 1, 0), ("P2Y", 3, 2), ("P3D", 1_000, 121_667), ("P5M", 1_000, 2_400),
            ("PT1H", 1, nil), ("P1M1D", 1, nil), ("PT0S", 1, nil),
        ] as [(String, Int64, Int64?)])
    func odd(_ text: String, _ price: Int64, _ year: Int64?) throws {
        let length = try #require(ISO8601Period(text))
        let period = BillingPeriod(length: length, isInferred: false)
        #expect(period.annualised(price) == year)
    }

    @Test("A price is 0 to 1,000,000,000 units")
    func priceBounds() {
        let year = BillingPeriod(length: ISO8601Period(months: 12), isInferred: false)
        #expect(year.annualised(-1) == nil)
        #expect(year.annualised(BillingPeriod.largestPrice) == BillingPeriod.largestPrice)
        #expect(year.annualised(BillingPeriod.largestPrice + 1) == nil)
    }

    @Test(
        "Without a catalogue entry the dates are used: months vary in days, days by an hour",
        arguments: [
            (1, 0, "P1D"), (3, 0, "P3D"), (7, 0, "P1W"), (14, 0, "P2W"), (27, 0, "P27D"),
            (28, 0, "P1M"), (30, 1, "P1M"), (31, -1, "P1M"), (32, 0, "P32D"), (58, 0, "P58D"),
            (59, 0, "P2M"), (62, 0, "P2M"), (63, 0, "P9W"), (88, 0, "P88D"), (89, 0, "P3M"),
            (92, 0, "P3M"), (93, 0, "P93D"), (180, 0, "P180D"), (181, 0, "P6M"), (184, 0, "P6M"),
            (185, 0, "P185D"), (364, 0, "P52W"), (365, 0, "P1Y"), (366, 0, "P1Y"),
            (367, 0, "P367D"), (1_000, 0, "P1000D"), (1_000, 1, nil), (0, 1, nil),
        ] as [(Int64, Int64, String?)])
    func inferred(_ days: Int64, _ hours: Int64, _ length: String?) throws {
        let fact = Fact.subscribed("1", day(0), day(days, hours * hour)).priced(1_000)
        let found = try #require(stretch(fact, .production))
        let expected = length.flatMap { ISO8601Period($0) }
        #expect(found.period?.length == expected)
        #expect(found.period.map(\.isInferred) != false)
    }

    @Test(
        "A period paid for in grace is measured from the end before it, where that is a length",
        arguments: [
            (37, 59, 12_000), (37, 67, 12_000), (32, 36, 52_000),
        ] as [(Int64, Int64, Int64)])
    func paidInGrace(_ from: Int64, _ end: Int64, _ year: Int64) {
        let first: Int64 = year == 52_000 ? 22 : 0
        let life = given(
            Fact.subscribed("1", day(first), day(29)).priced(1_000),
            .didFailToRenew(at: day(29), grace: day(45)),
            Fact.didRenew("2", day(from), day(end), .billingRecovery).priced(1_000))
        #expect(life.metrics().stretches.last { $0.state == .renewing }?.annualised == year)
    }

    @Test("A product bought in grace begins an anchor of its own")
    func boughtInGrace() {
        let life = given(
            Fact.subscribed("1", day(0), day(31)).priced(1_000),
            .didFailToRenew(at: day(31), grace: day(59)),
            Fact.notification(
                .didChangeRenewalPref, "2", day(53), day(60), subtype: .upgrade
            ).transaction { $0.transactionReason = Raw(.purchase) }.priced(1_000))
        #expect(life.metrics().stretches.last { $0.state == .renewing }?.annualised == 52_000)
    }

    @Test("An extension does not lengthen the billing period")
    func extended() throws {
        let life = given(
            Fact.subscribed("1", day(0), day(30)).priced(1_000),
            Fact.transaction("1", day(0), day(60), at: day(20)).priced(1_000))
        #expect(life.metrics().stretches.first?.annualised == 12_000)
        #expect(life.metrics().stretches.first?.to == day(60))
    }

    @Test(
        "A restore, whose copy has its own date, does not shorten the billing period",
        arguments: [1, 5, 29] as [Int64])
    func restored(_ restoredOn: Int64) {
        func copy(_ fact: Fact) -> Fact {
            fact.priced(1_000).transaction { $0.webOrderLineItemId = WebOrderLineItemId("w") }
        }
        let bought = copy(.subscribed("1", day(0), day(30)))
        let restored = copy(
            .transaction("2", day(restoredOn), day(30), at: day(restoredOn)))
        #expect(given(bought, restored).metrics().stretches.map(\.annualised) == [12_000, 12_000])
        // Extended, then restored: the copy has only the later end.
        let later = copy(.transaction("2", day(restoredOn), day(60), at: day(restoredOn)))
        let extended = given(bought, later).metrics().stretches
        #expect(extended.first?.annualised == 12_000)
        #expect(extended.first?.to == day(60))
        // If only the later copy is known, its own dates are used.
        #expect(given(restored).metrics().stretches.first?.period?.isInferred == true)
    }

    @Test("Outside Production only the catalogue is used")
    func sandbox() throws {
        let fact = Fact.subscribed("1", day(0), day(0, 5 * minute)).priced(1_000)
        let silent = try #require(stretch(fact, .sandbox))
        #expect(silent.period == nil && silent.annualised == nil)
        let catalogue = Catalogue(products: [
            ProductId("pro.monthly"): Catalogue.Product(period: ISO8601Period(months: 1))
        ])
        #expect(stretch(fact, catalogue: catalogue, .sandbox)?.annualised == 12_000)
    }

    @Test("An offer paid up front has the offer's length; a commitment counts one instalment")
    func offers() throws {
        let catalogue = Catalogue(products: [
            ProductId("pro.monthly"): Catalogue.Product(period: ISO8601Period(months: 12))
        ])
        let upFront = Fact.subscribed("1", day(0), day(90)).priced(3_000).transaction {
            $0.offer = Offer(
                type: Raw(.introductoryOffer), discountType: Raw(.payUpFront), period: "P3M")
        }
        #expect(stretch(upFront, catalogue: catalogue, .production)?.annualised == 12_000)
        let dated = upFront.transaction { $0.offer?.period = "three months" }
        let inferred = stretch(dated, catalogue: catalogue, .production)
        #expect(inferred?.annualised == 12_000 && inferred?.period?.isInferred == true)
        let instalment = Fact.subscribed("1", day(0), day(30)).priced(1_000).transaction {
            $0.billingPlanType = Raw(.monthly)
        }
        #expect(stretch(instalment, catalogue: catalogue, .production)?.annualised == 12_000)
    }

    @Test(
        "Ties round to the even quotient, for negative numbers, too",
        arguments: [
            (1, 2, 0), (3, 2, 2), (5, 2, 2), (-1, 2, 0), (-3, 2, -2), (7, 3, 2), (8, 3, 3),
            (-8, 3, -3), (.max, 1, .max), (.min, 1, .min), (.max, 2, 4_611_686_018_427_387_904),
        ] as [(Int64, Int64, Int64)])
    func halfEven(_ dividend: Int64, _ divisor: Int64, _ quotient: Int64) {
        #expect(HalfEven.quotient(dividend, divisor) == quotient)
    }
}
