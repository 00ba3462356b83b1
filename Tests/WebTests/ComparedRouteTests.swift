import AppStore
import HTTPTypes
import Ledger
import LedgerStore
import Projection
import Queries
import Reports
import SQLiteStore
import Service
import Testing

@testable import Web

@Suite("Definitions, rates and differences over HTTP")
struct ComparedRouteTests {
    private let purchase = MadePurchase()
    private static let rates = "USD,EUR:1.0834,JPY:0.006612"

    private func query(
        _ host: LedgerHost, _ knowledge: AsOf = .everything
    ) async throws -> MetricsQuery {
        MetricsQuery(
            try await host.ledger(.production).snapshot(limit: .seconds(60)),
            reportTimeZone: "UTC", now: ServedPlace.now, knowledge: knowledge)
    }

    private var words: MetricParameters {
        var words = MetricParameters()
        words.from = "2026-01-01"
        return words
    }

    private func bytes(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        write(&json)
        return json.bytes
    }

    /// Invalid queries, and the code of each.
    static let refusals: [(String, String)] = [
        ("churn?from=2026-01-01&definitions=other", "invalidParameter"),
        ("churn?from=2026-01-01&definitions=", "invalidParameter"),
        ("churn?from=2026-01-01&definitions=appstoreconnect", "undocumentedDefinition"),
        ("churn?from=2026-01-01&definitions=adapty&paid=true", "comparedWhole"),
        ("churn?from=2026-01-01&definitions=adapty&by=product", "comparedWhole"),
        ("churn?from=2026-01-01&rates=USD", "unknownParameter"),
        ("mrr?from=2026-01-01&definitions=adapty&rates=USD", "comparedWhole"),
        ("revenue?from=2026-01-01&definitions=adapty", "undocumentedDefinition"),
        ("revenue?from=2026-01-01&refundBasis=purchase", "invalidParameter"),
        ("refunds?from=2026-01-01&refundBasis=never", "invalidParameter"),
        ("mrr?from=2026-01-01&rates=", "invalidRates"),
        ("mrr?from=2026-01-01&rates=usd", "invalidRates"),
        ("mrr?from=2026-01-01&rates=USD,EUR", "invalidRates"),
        ("mrr?from=2026-01-01&rates=USD,EUR:0", "invalidRates"),
        ("mrr?from=2026-01-01&rates=USD,USD:1", "invalidRates"),
        ("mrr?from=2026-01-01&rates=USD,EUR:1,EUR:2", "invalidRates"),
        ("mrr?from=2026-01-01&rates=USD&by=currency", "currencyConverted"),
        ("mrr?from=2026-01-01&rates=EUR", "missingRates"),
        ("diff?from=2026-01-01", "invalidParameter"),
        ("diff?from=2026-01-01&knownPosition=1,2,3", "invalidParameter"),
        ("diff?from=2026-01-01&knownPosition=one", "invalidParameter"),
        ("diff?from=2026-01-01&knownPosition=1&knownAt=0", "invalidParameter"),
        ("diff?from=2026-01-01&knownAt=now,0", "invalidTime"),
        ("diff?from=2026-01-01&knownPosition=1&metric=mrr&paid=true", "unknownParameter"),
        ("diff?from=2026-01-01&knownPosition=1&paid=1", "invalidParameter"),
        ("diff?from=2026-01-01&knownPosition=1&definitions=adapty", "unknownParameter"),
        ("diff?from=2026-01-01&knownPosition=1&metric=mrr&rates=EUR", "missingRates"),
        (
            "diff?from=2026-01-01&knownPosition=1&metric=mrr&rates=USD&by=currency",
            "currencyConverted"
        ),
    ]

    @Test("An invalid query is a 400 with its code")
    func refused() async throws {
        try await ServedPlace.single().serve(renewed: purchase) { client, _ in
            for (question, code) in Self.refusals {
                let answer = try await client.get("/v1/metrics/\(question)")
                #expect(answer.status == 400 && answer.code == code, "\(question)")
            }
            for name in ["profit", "LTV"] {
                let answer = try await client.get(
                    "/v1/metrics/diff?from=2026-01-01&knownPosition=1&metric=\(name)")
                #expect(answer.status == 404 && answer.code == "unknownMetric", "\(name)")
            }
        }
    }

    @Test("Differences equal the command's, for each way to name two states of knowledge")
    func diff() async throws {
        try await ServedPlace.single().serve(renewed: purchase) { client, host in
            let first = try await host.ledger(.production).ledger.log.events(after: 0, limit: 1)
            let time = try #require(first.first?.receivedAt)
            let states: [(String, AsOf, AsOf)] = [
                ("knownPosition=1", .knownPosition(1), .everything),
                ("knownPosition=2,0", .knownPosition(0), .knownPosition(2)),
                ("knownPosition=0,1", .knownPosition(0), .knownPosition(1)),
                ("knownAt=0", .knownAt(Timestamp(milliseconds: 0)), .everything),
                (
                    "knownAt=\(time.milliseconds),\(time.rfc3339)", .knownAt(time), .knownAt(time)
                ),
            ]
            for (asked, before, after) in states {
                // Every metric between two of them; all of them for one metric.
                let metrics: [(String, String?, Bool)] = [
                    ("churn", nil, false), ("churn", nil, true), ("mrr", nil, false),
                    ("revenue", Self.rates, false),
                ]
                for (metric, rates, isPaid) in metrics.prefix(asked == "knownPosition=1" ? 4 : 1) {
                    var query = try await query(host, after)
                    query.rates = try rates.map { try CurrencyRates(inline: $0) }
                    let path =
                        "/v1/metrics/diff?metric=\(metric)&from=2026-01-01&\(asked)"
                        + (rates.map { "&rates=\($0)" } ?? "") + (isPaid ? "&paid=true" : "")
                    let answer = try await client.get(path)
                    // Before 1970 nothing is known, so the range is empty.
                    guard asked != "knownAt=0" else {
                        #expect(answer.code == "invalidRange")
                        continue
                    }
                    let diff = try await query.diff(
                        try MetricName(compared: metric, isPaid: isPaid), words, from: before)
                    #expect(answer.status == 200, "\(path)")
                    #expect(answer.bytes == bytes { diff.write(to: &$0) }, "\(path)")
                    #expect(diff.rows.isEmpty == (before == after))
                }
            }
            let plain = try await client.get(
                "/v1/metrics/diff?from=2026-01-01&knownPosition=1")
            #expect(plain.json["definition"]?.string == "churn/1")
            #expect(plain.json["cells"]?.array?.first?["events"]?.array?.map(\.int64) == [2])
            let tag = try #require(plain.headers[.eTag])
            let again = try await client.get(
                "/v1/metrics/diff?from=2026-01-01&knownPosition=1", [.ifNoneMatch: tag])
            #expect(again.status == 304)
        }
    }

    @Test("Amounts converted by a table of rates equal the command's")
    func rates() async throws {
        try await ServedPlace.single().serve(renewed: purchase) { client, host in
            let table = try CurrencyRates(inline: Self.rates)
            #expect(
                table
                    == (try CurrencyRates(
                        yaml: "currency: USD\nrates: {EUR: 1.0834, JPY: 0.006612}")))
            for name in [MetricName.mrr, .mrrMovement, .arr, .ltv, .counted(.revenue)] {
                var query = try await query(host)
                query.rates = table
                let report = try await query.metric(name, words)
                let answer = try await client.get(
                    "/v1/metrics/\(name.rawValue)?from=2026-01-01&rates=\(Self.rates)")
                #expect(answer.status == 200)
                #expect(answer.bytes == bytes { report.write(to: &$0) })
                #expect(answer.json["rates"]?["currency"]?.string == "USD")
                #expect(answer.json["rates"]?["rates"]?["EUR"]?.string == "1.0834")
            }
        }
    }

    @Test("Other products' definitions equal the command's, each where it is documented")
    func definitions() async throws {
        try await ServedPlace.single().serve(renewed: purchase) { client, host in
            var count = 0
            for pack in DefinitionPack.allCases {
                for metric in DefinitionPack.metrics {
                    let answer = try await client.get(
                        "/v1/metrics/\(metric)?from=2026-01-01&definitions=\(pack.rawValue)")
                    do {
                        let report = try await query(host).comparison(metric, words, pack)
                        #expect(answer.status == 200)
                        #expect(answer.bytes == bytes { report.write(to: &$0) })
                        #expect(answer.json["definitions"]?.string == pack.rawValue)
                        count += 1
                    } catch let error as MetricsError {
                        #expect(error == .undocumented(metric, pack))
                        #expect(answer.code == "undocumentedDefinition")
                    }
                }
            }
            #expect(count == 31)
        }
    }

    @Test("Refunds by either day, and with another product's definition")
    func refundBasis() async throws {
        try await ServedPlace.single().serve(renewed: purchase) { client, _ in
            for (basis, name) in [("refund", "refunds"), ("purchase", "refunds-by-purchase")] {
                let asked = try await client.get(
                    "/v1/metrics/refunds?from=2026-01-01&refundBasis=\(basis)")
                #expect(asked.json["definition"]?.string == "\(name)/1")
                let plain = try await client.get("/v1/metrics/\(name)?from=2026-01-01")
                #expect(asked.bytes == plain.bytes)
            }
            let theirs = try await client.get(
                "/v1/metrics/refunds?from=2026-01-01&refundBasis=purchase&definitions=revenuecat")
            #expect(theirs.json["figures"]?.array?.count == 2)
            let reasons = try await client.get(
                "/v1/metrics/churn?from=2026-01-01&by=reason&definitions=adapty")
            #expect(reasons.json["reasons"]?.array?.count == EndReason.allCases.count)
        }
    }

    @Test("Every value of every metric, grouped or not, is one of its columns in its unit")
    func everyGrouping() async throws {
        try await ServedPlace.single().serve(renewed: purchase) { client, _ in
            var count = 0
            for (index, name) in MetricName.allCases.enumerated() {
                // Of the dimensions every third, each time others.
                let some = Dimension.allCases.enumerated().filter {
                    ($0.offset + index) % 3 == 0 || $0.element == .reason
                }
                let groupings: [Dimension?] =
                    [nil] + (name == .lateness ? [.app] : some.map(\.element))
                for dimension in groupings {
                    guard dimension != .reason || name == .mrrMovement else { continue }
                    let by = dimension.map { "&by=\($0.rawValue)" } ?? ""
                    let path = "/v1/metrics/\(name.rawValue)?from=2026-01-01\(by)"
                    // The client compares the whole response with the document.
                    let answer = try await client.get(path)
                    #expect(answer.status == 200, "\(path)")
                    let columns = answer.json["columns"]?.array ?? []
                    #expect(!columns.isEmpty, "\(path)")
                    for row in answer.json["rows"]?.array ?? [] {
                        #expect(
                            row["values"]?.object?.map(\.key)
                                == columns.compactMap { $0["name"]?.string },
                            "\(path)")
                        for column in columns {
                            let isMoney = column["unit"]?.string == "milliunits"
                            let figure = column["name"]?.string ?? ""
                            let value = row["values"]?[figure]
                            let amount = isMoney ? value?["milliunits"]?.int64 : value?.int64
                            // The average of no customer.
                            let isAbsent = figure.hasSuffix(".perCustomer") && value == .null
                            #expect(amount != nil || isAbsent, "\(path) \(column)")
                        }
                        count += 1
                    }
                }
            }
            #expect(count > 50)
        }
    }

    @Test("A table may name this many currencies, and no more")
    func manyRates() throws {
        func code(_ number: Int) -> String {
            let letters = [number / 26, number % 26].map {
                String(UnicodeScalar(UInt8(65 + $0)))
            }
            return "Q" + letters.joined()
        }
        for (excess, isTaken) in [(0, true), (1, false)] {
            let codes = (0..<CurrencyRates.inlineCount + excess).map { "\(code($0)):1.5" }
            let text = (["USD"] + codes).joined(separator: ",")
            if isTaken {
                #expect(try CurrencyRates(inline: text).rates.count == codes.count)
            } else {
                #expect(throws: MetricsError.self) { try CurrencyRates(inline: text) }
            }
        }
    }
}
