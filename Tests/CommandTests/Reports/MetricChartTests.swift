import AppStore
import Foundation
import Ledger
import LedgerTestSupport
import Queries
import Reports
import Testing

@testable import Console
@testable import subledger

@Suite("Charts of metrics")
struct MetricChartTests {
    private func chart(
        _ ledger: TemporaryLedger, _ name: String, by: [String] = [], where filters: [String] = []
    ) async throws -> ChartDrawing {
        let report = try await ledger.metrics(now: Timestamp(milliseconds: 1_781_481_600_000)) {
            try await $0.metric(try MetricName(name), .made(by: by, where: filters))
        }
        return try ChartDrawing.reading(try ReportChart(report).svg)
    }

    /// Four chains that end in March, one with only a beginning.
    private static let shared = SharedLedger { ledger in
        let lines = (1...4).flatMap { MadeChain(id: "60000000000000\($0)").life }
        _ = try await ledger.ingest(lines + [MadeChain(id: "600000000000009").bought()])
    }

    private func taken() async throws -> TemporaryLedger { try await Self.shared.copy() }

    /// The y of each line's points, as drawn.
    private func heights(_ drawing: ChartDrawing) -> [[Double]] {
        drawing.elements.compactMap { $0.attributes["d"] }.map { path in
            path.split { "ML".contains($0) }.compactMap { $0.split(separator: " ").last }
                .compactMap { Double($0) }
        }.filter { $0.count > 2 }
    }

    @Test("Points are at the height of their values, and every line has its name")
    func active() async throws {
        let drawing = try await chart(try await taken(), "active")
        let lines = heights(drawing)
        #expect(lines.count == 3)
        // Five active at the end of January, four of February; none later.
        let floor = try #require(lines.first?.last)
        let up = lines[0].map { floor - $0 }
        #expect(up.count == 4 && abs(up[0] * 4 - up[1] * 5) < 0.1 && up[2] == 0 && up[3] == 0)
        for word in ["active", "activePaid", "setToCancel", "chains", "2026-03-01"] {
            #expect(drawing.text.contains(word), "\(word)")
        }
        #expect(!drawing.elements.contains { $0.name == "script" })
    }

    @Test("Every drawable metric is drawn, also when empty")
    func each() async throws {
        let names = [
            "active", "starts", "trials", "renewals", "reactivations", "recoveries", "auto-renew",
            "product-changes", "refunds", "refunds-by-purchase", "revenue", "proceeds", "retention",
            "mrr", "mrr-movement", "arr",
        ]
        let now = Timestamp(milliseconds: 1_781_481_600_000)
        for ledger in [try await taken(), try TemporaryLedger()] {
            try await ledger.metrics(now: now) { query in
                for name in names {
                    await #expect(throws: Never.self, "\(name)") {
                        let report = try await query.metric(try MetricName(name), .made())
                        let drawing = try ChartDrawing.reading(try ReportChart(report).svg)
                        #expect(drawing.text.contains("2026-01-01"), "\(name)")
                    }
                }
            }
        }
    }

    @Test(
        "Metrics without a chart are rejected, and the message lists the drawable ones"
    )
    func undrawn() async throws {
        let ledger = try await taken()
        for name in ["lateness", "ltv"] {
            let error = await #expect(throws: ChartError.self) { try await chart(ledger, name) }
            #expect(error?.code == "undrawnMetric")
            #expect(error?.message.contains("draws churn and active, ") == true)
            #expect(error?.message.contains(" mrr,") == true)
        }
    }

    @Test("A page says why there is no chart in the words of its form, not in options of commands")
    func reasons() {
        let errors: [ChartError] = [.undrawn("ltv"), .severalCurrencies, .tooManyLines(9)]
        for error in errors { #expect(!ReportPage.reason(error).contains("--")) }
        #expect(ReportPage.reason(.severalCurrencies).contains("currency=USD"))
    }

    @Test("The legend says what hatching means, where there is some")
    func hatched() async throws {
        let ledger = try await taken()
        let report = try await ledger.metrics(now: Timestamp(milliseconds: 1_781_481_600_000)) {
            try await $0.metric(.counted(.active), .made())
        }
        let chart = try ReportChart(report)
        let words = "not over, or not known to be complete"
        #expect(chart.drawn(isInPage: true, open: [0]).text.contains(words))
        #expect(!chart.drawn(isInPage: true).text.contains(words))
    }

    @Test("Two currencies share no axis; a single one is its unit")
    func currencies() async throws {
        let ledger = try await taken()
        _ = try await ledger.ingest([
            MadeChain(id: "600000000000010").bought().withTransaction { $0.currency = "EUR" }
        ])
        await #expect(throws: ChartError.severalCurrencies) { try await chart(ledger, "mrr") }
        let one = try await chart(ledger, "mrr", where: ["currency=EUR"])
        #expect(one.text.contains("EUR") && !one.text.contains("USD"))
        #expect(heights(one).count == 1)
    }

    @Test("A purchase without a price does not keep the others' money from being drawn")
    func unpriced() async throws {
        // given
        let ledger = try await taken()
        _ = try await ledger.ingest([
            MadeChain(id: "600000000000010").bought().withTransaction {
                ($0.currency, $0.price) = (nil, nil)
            }
        ])
        for (name, count) in [("mrr", 1), ("revenue", 2)] {
            // when
            let drawing = try await chart(ledger, name)
            // then
            #expect(drawing.text.contains("USD") && heights(drawing).count == count, "\(name)")
        }
    }

    @Test("A point of money has the decimal places of its currency")
    func decimals() async throws {
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest([
            MadeChain(id: "600000000000010").bought().withTransaction {
                ($0.currency, $0.price) = ("JPY", 300_500)
            }
        ])
        #expect(try await chart(ledger, "revenue").text.contains("gross 300 JPY"))
    }

    @Test("The maximum number of lines is drawn, and not one more")
    func manyLines() async throws {
        let ledger = try TemporaryLedger()
        func add(_ numbers: ClosedRange<Int>) async throws {
            _ = try await ledger.ingest(
                numbers.map { number in
                    var chain = MadeChain(id: "60000000000010\(number)")
                    chain.product = "com.example.plan.\(number)"
                    return chain.bought()
                })
        }
        try await add(1...ReportChart.lineCount)
        #expect(heights(try await chart(ledger, "mrr", by: ["product"])).count == 8)
        try await add((ReportChart.lineCount + 1)...(ReportChart.lineCount + 1))
        await #expect(throws: ChartError.tooManyLines(9)) {
            try await chart(ledger, "mrr", by: ["product"])
        }
    }
}
