import AppStore
import Foundation
import Intake
import Ledger
import LedgerTestSupport
import Queries
import Reports
import Service
import Testing

@testable import subledger

@Suite("Reports by rates of days, and by the configured table")
struct DatedReportTests {
    /// A chain that pays 5 € in January, and again in February.
    private func taken() async throws -> (ledger: TemporaryLedger, days: [String]) {
        var ledger = try TemporaryLedger()
        _ = try await ledger.ingest(MadeChain(id: "600000000000002").life.map(\.inEuros))
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        let rows = try await report(ledger, "revenue", nil, by: "day").rows
        return (ledger, rows.filter { $0["gross"] > 0 }.map { $0.from.date.text })
    }

    private func report(
        _ ledger: TemporaryLedger, _ name: String, _ rates: CurrencyRates?, by interval: String
    ) async throws -> Report {
        try await ledger.metrics(rates: rates) {
            try await $0.metric(try MetricName(name), .made(interval: interval))
        }
    }

    private func table(_ days: [(String, String)]) throws -> CurrencyRates {
        try CurrencyRates(
            yaml: "currency: USD\ndays:\n"
                + days.map { "  \($0.0): {EUR: \($0.1)}\n" }.joined())
    }

    @Test("Without a rate for the day of an amount the report names currency and day")
    func missing() async throws {
        let (ledger, days) = try await taken()
        let last = try #require(days.last)
        let rates = try table([(last, "2")])
        let error = await #expect(throws: MetricsError.self) {
            try await report(ledger, "revenue", rates, by: "month")
        }
        #expect(error?.code == "missingRates")
        #expect(error?.message.contains("EUR on \(days[0])") == true)
    }

    @Test("Each payment has the rate of its day; recurring money that of the last day")
    func converted() async throws {
        let (ledger, days) = try await taken()
        try #require(days.count == 2)
        let rates = try table([(days[0], "2"), (days[1], "3"), ("2026-04-30", "4")])
        let revenue = try await report(ledger, "revenue", rates, by: "month")
        let gross = revenue.rows.map { $0["gross"] }.filter { $0 > 0 }
        #expect(gross == [10_000, 15_000])
        let json = try TemporaryLedger.json { revenue.write(to: &$0) }
        let dated = json["rates"]?["dated"]
        #expect(dated?["first"]?.string == days[0] && dated?["last"]?.string == "2026-04-30")
        #expect(dated?["digest"]?.string?.utf8.count == 64)
        let mrr = try await report(ledger, "mrr", rates, by: "month")
        #expect(mrr.rows.map { $0["mrr"] }.first { $0 > 0 } == 20_000)
        let stated = try TemporaryLedger.json { mrr.write(to: &$0) }["rates"]
        #expect(stated?["day"]?.string == "2026-04-30" && stated?["dated"] == nil)
        #expect(stated?["rates"]?["EUR"]?.string == "4")
        let moved = try await report(ledger, "mrr-movement", rates, by: "month")
        #expect(moved.rows.allSatisfy { $0["annualised.residue"] == 0 })
    }

    @Test("Rates of later days change neither figures nor their name")
    func later() async throws {
        let (ledger, days) = try await taken()
        let known = [(days[0], "2"), (days[1], "3")]
        let before = try await report(ledger, "revenue", try table(known), by: "month")
        let after = try await report(
            ledger, "revenue", try table(known + [("2026-05-01", "9")]), by: "month")
        #expect(before.rows == after.rows && before.stamp.rates == after.stamp.rates)
    }

    @Test(
        "An invalid day is refused with its key",
        arguments: [
            ("days: {2026-02-30: {EUR: 1}}", "days.2026-02-30"),
            ("days: {soon: {EUR: 1}}", "days.soon"),
            ("days: {2026-01-02: {EUR: 0}}", "days.2026-01-02.EUR"),
            ("days: {2026-01-02: {USD: 1}}", "days.2026-01-02.USD"),
            ("rates: {EUR: 1}\ndays: {2026-01-02: {EUR: 1}}", "days.2026-01-02.EUR"),
        ])
    func refused(_ yaml: String, _ key: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try CurrencyRates(yaml: "currency: USD\n\(yaml)")
        }
        #expect(error?.key == key)
    }

    @Test("The configured table is for money, unless the question selects currencies")
    func usual() throws {
        let table = CurrencyRates(target: "USD", rates: [:])
        func used(_ name: MetricName, by: [String] = [], where filters: [String] = []) throws
            -> CurrencyRates?
        {
            var words = MetricParameters()
            (words.by, words.filters) = (by, filters)
            return try RateChoice.usual.table(for: name, words) { table }
        }
        #expect(try used(.churn(isPaid: false)) == nil)
        #expect(try used(.mrr, by: ["currency"]) == nil)
        #expect(try used(.mrr, where: ["currency=EUR"]) == nil)
        #expect(try used(.mrr, by: ["product"]) == table)
        var cell = CellParameters(column: "gross")
        cell.group = ["currency=EUR"]
        #expect(try RateChoice.usual.table(for: .mrr, cell) { table } == nil)
        cell.group = ["currency=USD"]
        #expect(try RateChoice.usual.table(for: .mrr, cell) { table } == table)
        #expect(try RateChoice.separate.table(for: .mrr, cell) { table } == nil)
    }

    @Test("The configured file is read again when it changes, and an unusable one names its key")
    func file() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).yaml")
        defer { try? FileManager.default.removeItem(at: path) }
        let file = RatesFile(path.path)
        let error = #expect(throws: ConfigurationError.self) { try file.table() }
        #expect(error?.key == "reports.ratesFile" && error?.code == .unreadableFile)
        try Data("currency: USD".utf8).write(to: path)
        #expect(try file.table().target == "USD")
        try Data("currency: GBP".utf8).write(to: path)
        #expect(try file.table().target == "GBP")
        let space = String(repeating: " ", count: CurrencyRates.maximumByteCount - 13)
        try Data("currency: GBP\(space)".utf8).write(to: path)
        #expect(try file.table().target == "GBP")
        try Data("currency: GBP\(space) ".utf8).write(to: path)
        #expect(throws: ConfigurationError.self) { try file.table() }
        let read = try ServiceConfiguration(yaml: "reports: {ratesFile: rates.yaml}")
        #expect(read.ratesFile == "rates.yaml")
    }
}
