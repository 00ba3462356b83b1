import AppStore
import Console
import Foundation
import Ledger
import LedgerTestSupport
import Queries
import Reports
import Testing

@testable import subledger

@Suite("Charts of churn")
struct ChurnChartTests {
    private func report(
        _ ledger: TemporaryLedger, by: [String] = [], where filters: [String] = [],
        interval: String = "month", from: String = "2026-01-01", to: String = "2026-05-01",
        zone: String? = nil
    ) async throws -> Report {
        var words = MetricParameters()
        (words.from, words.to, words.interval) = (from, to, interval)
        (words.by, words.filters, words.timeZone) = (by, filters, zone)
        let now = Timestamp(milliseconds: 1_781_481_600_000)
        return try await ledger.metrics(now: now) { [words] in try await $0.churn(words) }
    }

    private static let shared = SharedLedger { ledger in
        let lines = (1...4).flatMap { MadeChain(id: "60000000000000\($0)").life }
        _ = try await ledger.ingest(lines + [MadeChain(id: "600000000000009").bought()])
    }

    private func taken() async throws -> TemporaryLedger { try await Self.shared.copy() }

    @Test("An empty ledger is drawn as axes without bars")
    func empty() async throws {
        let drawing = try ChartDrawing.reading(
            try ReportChart(try await report(try TemporaryLedger())).svg)
        #expect(!drawing.elements.contains { $0.attributes["fill"] != nil })
        #expect(drawing.text.contains("2026-01-01"))
    }

    @Test("Bar heights are proportional to counts, stacked, with a legend and labelled axes")
    func bars() async throws {
        let drawing = try ChartDrawing.reading(
            try ReportChart(try await report(try await taken())).svg)
        let bars = drawing.elements.filter {
            $0.name == "rect" && $0.attributes["fill"] != nil && $0.attributes["width"] != "12"
        }
        // One silent chain in February, four cancelled ones in March.
        #expect(bars.count == 2)
        let heights = bars.compactMap { $0.attributes["height"].flatMap(Double.init) }
        #expect(heights.count == 2 && abs(heights[1] - 4 * heights[0]) < 0.1)
        for word in ["voluntary", "unconfirmed", "chains", "rate", "2026-03-01"] {
            #expect(drawing.text.contains(word), "\(word)")
        }
        #expect(!drawing.text.contains("billing"))
        // The legend's sample, and the line itself: no chain was active before January.
        #expect(Self.dots(drawing).count == 2)
        #expect(Self.line(drawing)?.filter { $0 == "L" }.count == 1)
    }

    /// The line of rates, without the legend's sample.
    private static func line(_ drawing: ChartDrawing) -> String? {
        let paths = drawing.elements.filter { $0.attributes["class"] == "rate" }
        return paths.count == 2 ? paths[0].attributes["d"] : nil
    }

    private static func dots(_ drawing: ChartDrawing) -> [[String: String]] {
        drawing.elements.filter { $0.attributes["class"] == "dot" }.map(\.attributes)
    }

    @Test("The rate of a reason, or of a group's, is of all active chains, in every interval")
    func filteredRate() async throws {
        let ledger = try await taken()
        // All chains lost in March ended voluntarily: the rate there is the same.
        let whole = try ChartDrawing.reading(try ReportChart(try await report(ledger)).svg)
        let voluntary = try ChartDrawing.reading(
            try ReportChart(try await report(ledger, where: ["reason=voluntary"])).svg)
        #expect(Self.dots(voluntary).count == 2)
        #expect(Self.dots(voluntary).map { $0["cx"] } == Self.dots(whole).map { $0["cx"] })
        let byCountry = try ChartDrawing.reading(
            try ReportChart(
                try await report(ledger, by: ["country"], where: ["reason=voluntary"])
            ).svg)
        #expect(Self.line(byCountry) == Self.line(voluntary))
        // February: none of five ended voluntarily; the line is at zero, not interrupted.
        let heights = Self.dots(voluntary).compactMap { $0["cy"].flatMap(Double.init) }
        #expect(heights.count == 2 && heights[0] > heights[1])
    }

    @Test("Hours are labelled by the zone's own clock, without repetitions")
    func hours() async throws {
        let ledger = try await taken()
        let drawing = try ChartDrawing.reading(
            try ReportChart(
                try await report(
                    ledger, interval: "hour", from: "2026-02-09", to: "2026-02-10",
                    zone: "Asia/Tokyo")
            ).svg)
        let labels = drawing.text.split(separator: "\n").map(String.init)
        #expect(labels.contains("2026-02-09"))
        #expect(labels.contains("02-09 03:00") && labels.contains("02-09 21:00"))
        #expect(!labels.contains { $0.hasPrefix("2026-02-08") || $0.hasPrefix("02-08") })
    }

    @Test("Filters, the zone and every remark are in the picture")
    func notes() async throws {
        let ledger = try await taken()
        let svg = try ReportChart(
            try await report(
                ledger, where: ["country=USA", "country=<X>", "reason=refund"],
                zone: "Europe/Berlin")
        ).svg
        let reported = try ChartDrawing.reading(svg).text.replacing("\n", with: " ")
        #expect(svg.contains("only where country = &lt;X&gt; or USA, and reason = refund"))
        #expect(reported.contains("Europe/Berlin") && reported.contains("position 17"))
        #expect(reported.contains("A value of the filter occurs nowhere"))
        #expect(svg.contains("&lt;X&gt;") && !svg.contains("<X>"))
        let empty = try ChartDrawing.reading(
            try ReportChart(try await report(try TemporaryLedger())).svg)
        #expect(empty.text.contains("nothing was counted"))
    }

    @Test("It has no scripts and no external resources, and has a dark scheme")
    func plain() async throws {
        let svg = try ReportChart(try await report(try await taken())).svg
        let drawing = try ChartDrawing.reading(svg)
        let names = Set(drawing.elements.map(\.name))
        #expect(
            names.isSubset(of: ["svg", "style", "rect", "text", "line", "path", "circle", "title"]))
        #expect(svg.contains("prefers-color-scheme: dark"))
        #expect(!svg.contains("href") && !svg.contains("url("))
    }

    @Test("Groups are drawn together, in any breakdown")
    func groups() async throws {
        let ledger = try await taken()
        let whole = try ReportChart(try await report(ledger)).svg
        for by in [["product"], ["reason"], ["country", "reason"]] {
            let reported = try ChartDrawing.reading(
                try ReportChart(try await report(ledger, by: by)).svg)
            let expected = try ChartDrawing.reading(whole)
            #expect(
                reported.elements.filter { $0.name == "rect" }.map(\.attributes)
                    == expected.elements.filter { $0.name == "rect" }.map(\.attributes))
        }
    }

    @Test("Many intervals are drawn, with few dates below them")
    func many() async throws {
        let drawing = try ChartDrawing.reading(
            try ReportChart(try await report(try await taken(), interval: "hour")).svg)
        let dates = drawing.text.split(separator: "\n").filter { line in
            line.hasPrefix("2026-") || line.wholeMatch(of: /\d\d-\d\d \d\d:\d\d/) != nil
        }
        #expect((2...14).contains(dates.count))
    }
}
