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

@Suite("Reports in one currency")
struct ConvertedReportTests {
    /// A chain in dollars and one in euros, the latter at 5 and later at 7.
    private static let shared = SharedLedger { ledger in
        let euro = MadeChain(id: "600000000000002").life.map(\.inEuros)
        _ = try await ledger.ingest(MadeChain(id: "600000000000001").life + euro)
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
    }

    private func taken() async throws -> TemporaryLedger { try await Self.shared.copy() }

    private func report(
        _ ledger: TemporaryLedger, _ name: String, _ rates: CurrencyRates?, by: [String] = [],
        where filters: [String] = []
    ) async throws -> Report {
        try await ledger.metrics(rates: rates) {
            try await $0.metric(try MetricName(name), .made(by: by, where: filters))
        }
    }

    private func rates(_ yaml: String = "currency: USD\nrates: {EUR: 1.1}") throws -> CurrencyRates
    {
        try CurrencyRates(yaml: yaml)
    }

    private func moved(
        _ ledger: TemporaryLedger, _ rates: CurrencyRates?, by: [String] = []
    ) async throws -> Report {
        try await ledger.metrics(rates: rates) {
            // The first four events are those in dollars.
            try await $0.diff(
                try MetricName(compared: "revenue"), .made(by: by), from: .knownPosition(4))
        }
    }

    @Test("Differences are converted and rejected like the two reports")
    func diff() async throws {
        let ledger = try await taken()
        let found = try await moved(ledger, try rates())
        let after = try await report(ledger, "revenue", try rates())
        #expect(found.rows.allSatisfy { $0.group.first == "USD" })
        #expect(found.stamp.rates == (try rates()))
        #expect(found.stamp.remarks.contains(.converted))
        for cell in found.rows {
            let row = after.rows.first { $0.from == cell.from }
            #expect(row?.amounts[cell.column] == cell.after)
        }
        // Two payments of 5 €.
        let gross = found.rows.filter { $0.column == "gross" }
        #expect(gross.reduce(0) { $0 + $1.after - $1.before } == 2 * 5_500)
        #expect(try await moved(ledger, nil).rows.allSatisfy { $0.group.first == "EUR" })
        await #expect(throws: MetricsError.missingRates(["EUR"])) {
            try await moved(ledger, try rates("currency: USD"))
        }
        await #expect(throws: MetricsError.currencyConverted) {
            try await moved(ledger, try rates(), by: ["currency"])
        }
    }

    /// Metrics of money, except refunds, which these lives do not have.
    private static let money = MetricName.allCases.filter { name in
        switch name {
        case .counted(let metric): metric.isMoney && metric != .refunds
        case .churn, .lateness: false
        case .mrr, .mrrMovement, .arr, .ltv: true
        }
    }

    @Test(
        "Without rates currencies stay separate, with rates there is one; each has its remark",
        arguments: money)
    func converted(_ name: MetricName) async throws {
        let ledger = try await taken()
        let apart = try await report(ledger, name.rawValue, nil)
        #expect(Set(apart.rows.map { $0.group[0] }) == ["EUR", "USD"])
        #expect(apart.stamp.remarks.contains(.severalCurrencies))
        let one = try await report(ledger, name.rawValue, try rates())
        #expect(Set(one.rows.map { $0.group }) == [["USD"]])
        #expect(one.stamp.remarks.contains(.converted))
        #expect(!one.stamp.remarks.contains(.severalCurrencies))
        let json = try TemporaryLedger.json { one.write(to: &$0) }
        #expect(json["rates"]?["currency"]?.string == "USD")
        #expect(json["rates"]?["rates"]?["EUR"]?.string == "1.1")
        #expect(try TemporaryLedger.json { apart.write(to: &$0) }["rates"] == nil)
        if name == .mrrMovement {
            #expect(one.rows.allSatisfy { $0.amounts["annualised.residue"] == 0 })
        }
    }

    @Test("Revenue and recurring money are sums of the converted prices")
    func sums() async throws {
        let ledger = try await taken()
        let revenue = try await report(ledger, "revenue", try rates())
        #expect(revenue.rows.map { $0.amounts["gross"] } == [15_490, 15_490])
        let mrr = try await report(ledger, "mrr", try rates())
        #expect(mrr.rows.first?.amounts["annualised"] == 185_880)
        #expect(mrr.rows.first?.amounts["mrr"] == 15_490)
        let german = try await report(ledger, "mrr", try rates(), by: ["product"])
        #expect(german.rows.first?.group.first == "USD")
    }

    @Test("A currency without a rate is an error that names it, in every metric of money")
    func missing() async throws {
        let rates = try rates("currency: GBP\nrates: {USD: 0.8}")
        try await taken().metrics(rates: rates) { query in
            for name in Self.money {
                let error = await #expect(throws: MetricsError.self, "\(name)") {
                    try await query.metric(name, .made())
                }
                #expect(error == .missingRates(["EUR"]))
                #expect(error?.code == "missingRates" && error?.message.contains("EUR") == true)
            }
        }
    }

    @Test("An amount that is too large at its rate is an error, never zero")
    func tooLarge() async throws {
        var ledger = try TemporaryLedger()
        let dear = MadeChain(id: "600000000000002").life.map { delivery in
            delivery.withTransaction {
                $0.currency = "EUR"
                $0.price = BillingPeriod.largestPrice
            }
        }
        _ = try await ledger.ingest(dear)
        ledger.now = Timestamp(milliseconds: 1_781_481_600_000)
        let large = try rates("currency: USD\nrates: {EUR: 1000000}")
        try await ledger.metrics(rates: large) { query in
            for name in Self.money {
                let error = await #expect(throws: MetricsError.self, "\(name)") {
                    try await query.metric(name, .made())
                }
                #expect(error == .rateTooLarge(["EUR"]))
                #expect(error?.code == "rateTooLarge" && error?.message.contains("EUR") == true)
            }
        }
        try await ledger.metrics(rates: try rates()) { query in
            for name in Self.money {
                let rows = try await query.metric(name, .made()).rows
                #expect(!rows.isEmpty, "\(name)")
            }
        }
    }

    @Test("Excluded amounts need no rate, and neither do counts")
    func leftOut() async throws {
        let ledger = try await taken()
        let none = try rates("currency: GBP")
        #expect(try await report(ledger, "starts", none).rows.first?.amounts["starts"] == 2)
        #expect(try await report(ledger, "revenue", none, where: ["country=XXX"]).rows.isEmpty)
        // Their prices are known, though not converted.
        for name in ["mrr", "arr", "mrr-movement"] {
            let recurring = try await report(ledger, name, none, where: ["country=XXX"])
            #expect(recurring.rows.isEmpty)
            #expect(!recurring.stamp.remarks.contains(.unpriced))
        }
    }

    @Test("A row that the configured table converts is not proven; its own currency is")
    func proven() async throws {
        let place = try await Workplace.taken(options: ["--config", "subledger.yaml"])
        let keygen = try await place.run(["audit", "keygen", "--origin", "a/b", "audit.key"])
        #expect(keygen.code == 0)
        try place.write(["currency: USD", "rates: { EUR: 1.1 }"], to: "rates.yaml")
        try place.write(
            [
                "dataDirectory: data", "apps: [{ bundleId: \(Evidence.app) }]",
                "trustedRoots: [root.der]", "audit: { origin: a/b, keyFile: audit.key }",
                "reports: { ratesFile: rates.yaml }",
            ], to: "subledger.yaml")
        let cell = [
            "audit", "prove", "--metric", "revenue", "--cell", "gross", "--from", "2026-01-01",
            "--group", "currency=USD", "-o", "proof.json",
        ]
        let refused = try await place.run(cell + place.options)
        #expect(refused.code == 64 && refused.errorCode == "invalidOption", "\(refused.err)")
        #expect(refused.err.contains("--where currency=USD"), "\(refused.err)")
        #expect(!FileManager.default.fileExists(atPath: place.file("proof.json")))
        let made = try await place.run(cell + ["--where", "currency=USD"] + place.options)
        #expect(made.code == 0, "\(made.err)")
        let checked = try await place.run("audit", "check", "proof.json")
        #expect(checked.code == 0, "\(checked.out)\(checked.err)")
    }

    @Test("With one currency, none can be selected")
    func currency() async throws {
        let ledger = try await taken()
        for (by, filters) in [(["currency"], []), ([], ["currency=EUR"])] {
            let error = await #expect(throws: MetricsError.self) {
                try await report(ledger, "mrr", try rates(), by: by, where: filters)
            }
            #expect(error?.code == "currencyConverted")
        }
    }

    @Test(
        "An invalid table of rates is rejected, with the key",
        arguments: [
            ("", "currency"), ("rates: {EUR: 1}", "currency"), ("currency: usd", "currency"),
            ("currency: USD\nrates: {EUR: 0}", "rates.EUR"),
            ("currency: USD\nrates: {EUR: 1e2}", "rates.EUR"),
            ("currency: USD\nrates: {EUR: 1000001}", "rates.EUR"),
            ("currency: USD\nrates: {USD: 1}", "rates.USD"),
            ("currency: USD\nrates: {Euro: 1}", "rates.Euro"),
            ("currency: USD\nrate: {EUR: 1}", "rate"), ("currency: USD\nrates: [EUR]", "rates"),
        ])
    func refused(_ yaml: String, _ key: String) {
        let error = #expect(throws: ConfigurationError.self) { try CurrencyRates(yaml: yaml) }
        #expect(error?.key == key)
    }

    @Test(
        "Dates of the Small Business Program are parsed, or rejected with their key",
        arguments: [
            ("{from: 2026-01-15}", nil), ("{from: 2026-01-15, to: 2026-02-01}", nil),
            ("{to: 2026-01-15}", "apps[0].smallBusinessProgram[0].from"),
            ("{from: soon}", "apps[0].smallBusinessProgram[0].from"),
            ("{from: 2026-01-15, to: 2026-01-15}", "apps[0].smallBusinessProgram[0].to"),
            ("{from: 2026-01-15, rate: 85}", "apps[0].smallBusinessProgram[0].rate"),
        ] as [(String, String?)])
    func program(_ span: String, _ key: String?) throws {
        let yaml = "apps: [{bundleId: com.example.app, smallBusinessProgram: [\(span)]}]"
        guard let key else {
            let read = try ServiceConfiguration(yaml: yaml).catalogue.smallBusinessProgram
            #expect(
                read[BundleId("com.example.app")]?.first?.from.rfc3339.prefix(10) == "2026-01-15")
            return
        }
        let error = #expect(throws: ConfigurationError.self) {
            try ServiceConfiguration(yaml: yaml)
        }
        #expect(error?.key == key)
    }

    @Test("An unusually long silence is a suspected outage, regardless of the range")
    func outages() async throws {
        var ledger = try TemporaryLedger()
        // Every half hour, except for a night.
        let start = MadeChain(id: "600000000000000").bought().receivedAt
        let times = (0..<200 as Range<Int64>).map { $0 * 1_800_000 + ($0 >= 150 ? 43_200_000 : 0) }
        _ = try await ledger.ingest(
            times.enumerated().map { index, time in
                var delivery = MadeChain(id: "\(600_000_000_000_000 + index)").bought()
                delivery.receivedAt = start.advanced(byMilliseconds: time)
                return delivery.with {
                    $0.signedDate = start.advanced(byMilliseconds: time - 1_000)
                }
            })
        ledger.now = start.advanced(byMilliseconds: times[199] + 1_000)
        let lateness = try await report(ledger, "lateness", nil)
        let found = try #require(
            { if case .metric(_, let outages) = lateness.subject { outages } else { nil } }())
        #expect(found.count == 1)
        #expect(found.first?.app == BundleId(MadeChain.app))
        #expect(found.first?.window.to == start.advanced(byMilliseconds: times[150]))
        #expect(found.first?.window.reasons == [.silence])
        let outages: [Int64] = lateness.rows.map { $0.amounts["suspectedOutages"] ?? 0 }
        #expect(outages.reduce(0, +) == 1)
        let json = try TemporaryLedger.json { lateness.write(to: &$0) }
        #expect(json["suspectedOutages"]?.array?.first?["reasons"]?.array?.count == 1)
        let text = lateness.text()
        #expect(text.contains("suspected outage of \(MadeChain.app)"))
    }

    @Test("Many late deliveries signed together are a suspected outage")
    func lateDeliveries() async throws {
        var ledger = try TemporaryLedger()
        let signed = MadeChain(id: "600000000000000").bought().receivedAt
        ledger.now = signed.advanced(byMilliseconds: 30 * 60_000)
        for index in 0..<OutageDetection.clusterCount {
            let early = try await report(ledger, "lateness", nil)
            #expect(early.rows.allSatisfy { $0["suspectedOutages"] == 0 })
            var delivery = MadeChain(id: "\(600_000_000_000_000 + index)").bought()
            delivery.receivedAt = signed.advanced(byMilliseconds: Int64(15 + index) * 60_000)
            _ = try await ledger.ingest([delivery])
        }
        let late = try await report(ledger, "lateness", nil)
        #expect(late.rows.map { $0["suspectedOutages"] } == [1])
    }
}
