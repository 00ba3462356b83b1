import AppStore
import Ledger
import Testing

@Suite("Rates by day")
struct DatedRatesTests {
    private func date(_ number: Int64) -> CivilDate { CivilDate(daysSinceEpoch: 20_000 + number) }

    /// Euros on the days 0 and 3, in any order, and yen for all time.
    private func table() throws -> CurrencyRates {
        func rate(_ text: String) throws -> CurrencyRates.Rate {
            try #require(CurrencyRates.Rate(text))
        }
        return CurrencyRates(
            target: "USD", rates: ["JPY": try rate("0.5")],
            dated: [
                "EUR": [
                    .init(day: date(3), rate: try rate("3")),
                    .init(day: date(0), rate: try rate("2")),
                ]
            ])
    }

    @Test("A day before the first rate, or more than a week after the last one, has none")
    func none() throws {
        let (table, bound) = (try table(), Int64(7))
        for day in [-1, 3 + bound + 1] {
            #expect(table.on(date(day)).rates["EUR"] == nil, "\(day)")
            #expect(table.on(date(day), from: "EUR").gap(1, in: "EUR") == .missing("EUR"))
        }
        #expect(table.on(date(3 + bound)).rates["EUR"]?.description == "3")
    }

    @Test(
        "The last rate at or before the day applies",
        arguments: [(0, 20), (1, 20), (2, 20), (3, 30), (4, 30)] as [(Int64, Int64)])
    func applies(_ day: Int64, _ expected: Int64) throws {
        let table = try table()
        #expect(table.on(date(day)).converted(10, from: "EUR") == expected)
        #expect(table.on(date(day), from: "EUR").converted(10, from: "EUR") == expected)
        #expect(table.on(date(day), from: "JPY").converted(10, from: "JPY") == 5)
        #expect(table.on(date(day)).day == date(day))
    }

    @Test("A table without days is the same on every day")
    func plain() throws {
        let plain = CurrencyRates(target: "USD", rates: try table().rates)
        #expect(plain.on(date(9)) == plain)
    }

    @Test("The part for some days has the same rates there, and ignores later ones")
    func part() throws {
        let table = try table()
        let part = table.within(from: date(1), through: date(2))
        #expect(part.on(date(2)).converted(10, from: "EUR") == 20)
        #expect(part.canonicalText == "USD\nJPY 0.5\n\(date(0).text) EUR 2\n")
        let late = date(CurrencyRates.bridgedDayCount + 1)
        #expect(table.within(from: late, through: late).dated["EUR"]?.count == 1)
        #expect(table.within(from: nil, through: date(3)) == table)
    }
}
