import AppStore
import Ledger
import Testing

@Suite("Currency rates")
struct CurrencyRatesTests {
    private func rates(_ euro: String) throws -> CurrencyRates {
        CurrencyRates(target: "USD", rates: ["EUR": try #require(CurrencyRates.Rate(euro))])
    }

    @Test(
        "A rate is a plain decimal number greater than 0",
        arguments: [
            "", "0", "0.0", "-1", "+1", "1.", ".5", "1,5", "1e3", "1.2.3", " 1", "nan", "٣",
            "1234567890123456", "1.0123456789", "1000001", "1000000.1", "999999999999999",
        ])
    func refused(_ text: String) {
        #expect(CurrencyRates.Rate(text) == nil)
    }

    @Test(
        "A rate is written as read",
        arguments: ["1", "1.0834", "0.006612", "0.000000001", "1000000", "1000000.0", "10.50"])
    func written(_ text: String) {
        #expect(CurrencyRates.Rate(text)?.description == text)
    }

    @Test(
        "Each amount is rounded once, half to even, and exactly",
        arguments: [
            ("1.5", 1, 2), ("1.5", 3, 4), ("1.5", 5, 8), ("0.5", 1, 0), ("0.5", -3, -2),
            ("1.5", -1, -2), ("1.0834", 9_990, 10_823), ("0.000000001", 1_000_000_000, 1),
            ("1", 365_000_000_000_000, 365_000_000_000_000),
        ] as [(String, Int64, Int64)])
    func rounded(_ rate: String, _ amount: Int64, _ expected: Int64) throws {
        #expect(try rates(rate).converted(amount, from: "EUR") == expected)
    }

    @Test("Amounts too large for sums or without a rate are not converted")
    func none() throws {
        let largest = BillingPeriod.largestPrice * 365
        #expect(try rates("1.000000001").converted(largest, from: "EUR") == nil)
        #expect(try rates("1000000").converted(.max, from: "EUR") == nil)
        #expect(try rates("1").converted(1, from: "JPY") == nil)
        #expect(try !rates("1").covers("JPY"))
        #expect(try rates("2").converted(7, from: "USD") == 7)
    }

    @Test("The gap states why an amount cannot be converted; 0 needs no rate")
    func gaps() throws {
        let largest = BillingPeriod.largestPrice * 365
        #expect(try rates("1").gap(largest, in: "EUR") == nil)
        #expect(try rates("1").gap(largest + 1, in: "EUR") == .tooLarge("EUR"))
        #expect(try rates("1").gap(1, in: "JPY") == .missing("JPY"))
        #expect(try rates("1").gap(0, in: "JPY") == nil)
        #expect(try rates("1").gap(.max, in: "USD") == nil)
        #expect(try rates("1").gap(1, in: nil) == nil)
    }

    @Test("With conversion a change of currency is a change of price, and rows balance")
    func movement() throws {
        let euro = Fact.subscribed("1", day(0), day(30)).priced(3_333, "EUR")
        let dollars = Fact.didRenew("2", day(30), day(60)).priced(10_000)
        let life = given(euro, dollars)
        var sum = RollForward(RollForwardQuery(.money, instants: [day(-1), day(10), day(40)]))
        sum.add(life.metrics().converted(by: try rates("1.1")))
        let rows = sum.rows()
        #expect(rows.map { $0.group } == [["USD"], ["USD"]])
        #expect(rows.allSatisfy { $0.residue == 0 })
        #expect(rows[0][.gained(.new)] == 43_996)
        #expect(rows[1][.expansion] == 120_000 - 43_996 && rows[1][.movedIn] == 0)
    }

    @Test("Purchases while the developer was in the program are estimated at 85 %")
    func program() {
        let life = given(
            Fact.subscribed("1", day(0), day(30)).priced(10_000),
            Fact.didRenew("2", day(30), day(60)).priced(10_000),
            Fact.didRenew("3", day(60), day(90)).priced(10_000))
        var catalogue = Catalogue()
        catalogue.smallBusinessProgram = [
            app: [Catalogue.ProgramSpan(from: day(30), to: day(60))],
            BundleId("com.example.none"): [Catalogue.ProgramSpan(from: day(0), to: nil)],
        ]
        let found = life.occurrences(
            of: .proceeds, in: app, catalogue: catalogue, limit: day(99), instants: [])
        #expect(found.map { $0.amounts["proceeds"] } == [7_000, 8_500, 7_000])
        #expect(found.map { $0.amounts["underProgram"] } == [0, 1, 0])
        #expect(found.allSatisfy { $0.amounts["atHigherRate"] == 0 })
        #expect(catalogue.canonicalBytes != Catalogue().canonicalBytes)
    }
}
