import AppStore
import HTTPTypes
import Ledger
import LedgerStore
import Projection
import Queries
import Service
import Testing

@testable import Console
@testable import Reports

@Suite("The form of a report, and the names of its columns")
struct ReportFormTests {
    private let frame = ReportFormTests.frame(.unnamed)

    private static func frame(_ viewer: Viewer) -> Frame {
        Frame(
            state: ViewState(environment: .production), viewer: viewer, served: [.production],
            reportZone: ReportZone("UTC")!, now: ServedPlace.now, path: ["reports"])
    }

    @Test("A column says of itself what it counts")
    func headings() {
        #expect(Report.heading("step.2.reached") == "step 2")
        #expect(Report.heading("step.2.chance") == "step 2 possible")
        #expect(Report.heading("activeStart") == "start")
        #expect(Report.heading("weekOf023Months.chains") == "week of 0.23 months chains")
    }

    @Test("Every report in the list says what it shows; help, where the key of evidence works")
    func titles() {
        #expect(PlainPages.help(frame).html.contains("on the page of an event"))
        let list = ReportsPage.page(frame).html
        #expect(list.contains(">lateness</a>") && !list.contains("<td></td>"))
    }

    @Test("A report of earlier knowledge begins a year before it, unless the address says so")
    func usualFrom() async throws {
        var frame = frame
        // 2025-10-26.
        frame.state.knowledge = .knownAt(Timestamp(milliseconds: 1_761_436_800_000))
        #expect(frame.usualFrom == "2024-10-01")
        frame.state.knowledge = .knownAt(ServedPlace.now.advanced(byMilliseconds: 86_400_000_000))
        #expect(frame.usualFrom == ViewState.yearBack(ServedPlace.now))
        frame.kept = [("from", frame.usualFrom), ("by", "country")]
        let kept = frame.knowledgeForm.text
        #expect(kept.contains("name=\"by\"") && !kept.contains("name=\"from\""))
        try await ServedPlace().serve(renewed: MadePurchase()) { client, _ in
            let reports = "/console/production/reports"
            let churn = try await client.get("\(reports)/churn?knownAt=2025-10-26")
            #expect(churn.status == 200 && churn.text.contains("value=\"2024-10-01\""))
            let list = try await client.get("\(reports)?knownAt=2025-10-26").text
            #expect(list.contains("/churn?from=2024-10-01&amp;knownAt="))
            let diff = try await client.get("\(reports)/diff?knownAt=2025-10-26")
            #expect(diff.status == 200)
        }
    }

    @Test("A form lists what its report accepts, offers documented definitions and keeps the zone")
    func form() {
        var frame = frame
        func text(_ name: String) -> String {
            ReportForm(frame: frame, name: name).html.text
        }
        #expect(text("lateness").contains("Broken down by: app. Only where"))
        #expect(text("churn").contains(", reason"))
        #expect(text("retention").contains("country") && !text("retention").contains(", reason"))
        for (name, offered, missing) in [
            ("churn", "stripe", "appstoreconnect"), ("revenue", "revenuecat", "stripe"),
        ] {
            #expect(text(name).contains(">\(offered)</option>"))
            #expect(!text(name).contains(">\(missing)</option>"))
            #expect(text(name).contains("autocomplete=\"off\""))
        }
        #expect(!text("lateness").contains("name=\"definitions\""))
        // It has no field for the zone.
        frame.kept = [("from", "2026-01-01"), ("timeZone", "Asia/Tokyo")]
        let hidden = "<input type=\"hidden\" name=\"timeZone\" value=\"Asia/Tokyo\">"
        #expect(text("active").contains(hidden) && !text("active").contains("name=\"rates\""))
    }

    @Test("Figures have their unit, rows a badge that is no reason, and a comparison both sides")
    func marks() async throws {
        try await ServedPlace().serve(renewed: MadePurchase()) { client, _ in
            let reports = "/console/production/reports"
            let lateness = try await client.get("\(reports)/lateness?from=2026-01-01").text
            #expect(lateness.contains("p50 (ms)</th>"))
            let churn = try await client.get("\(reports)/churn?from=2026-01-01").text
            #expect(churn.contains("<span class=\"tag\">may be incomplete</span>"))
            #expect(!churn.contains("<span class=\"tag\">unconfirmed</span>"))
            let blanks = try await client.get(
                "\(reports)/churn?from=2026-01-01&by=product%2C+country")
            #expect(blanks.status == 200)
            // The addresses of cells are relative to the page's.
            let slashed = try await client.get("\(reports)/churn/?from=2026-01-01")
            #expect(slashed.headers[.location] == "\(reports)/churn?from=2026-01-01")
            for (path, sides) in [
                // Before the first event every figure is 0.
                ("diff?from=2026-01-01&knownPosition=0", ["before", "after"]),
                ("churn?from=2026-01-01&definitions=stripe", ["ours", "theirs"]),
            ] {
                let page = try await client.get("\(reports)/\(path)").text
                for side in sides { #expect(page.contains(">\(side)</th>"), "\(path) \(side)") }
            }
        }
    }

    @Test("A changed figure counts all events behind it, also those without a position")
    func omittedEvents() async throws {
        var words = MetricParameters()
        words.from = "2026-01-01"
        let asked = ReportQuestion.diff(
            .churn(isPaid: false), words, between: [.knownPosition(0)], .usual)
        try await ServedPlace().serve(renewed: MadePurchase()) { _, host in
            let found = try await host.report(asked, QueryScope(environment: .production))
            var rows = found.rows
            try #require(!rows.isEmpty)
            rows[0].eventsOmitted = 4_900
            let report = Report(
                stamp: found.stamp, subject: found.subject, scope: found.scope,
                dimensions: found.dimensions, columns: found.columns, rows: rows)
            let table = ReportPage(frame, report, name: "churn").table(beside: "").text
            #expect(table.contains(" and 4900 more</td>"))
        }
    }

    @Test("Rows that do not fit on the page are the oldest; it says which, and leads to them")
    func newest() async throws {
        let path = "/console/production/reports/active?from=2026-01-01&to=2026-03-01&interval=hour"
        try await ServedPlace().serve(renewed: MadePurchase()) { client, _ in
            let page = try await client.get(path).text
            #expect(page.contains("to 1416 of 1416; rows 1 to "))
            #expect(page.contains("row=0\">First rows</a>") && !page.contains("More rows"))
            #expect(page.contains("<th scope=\"row\">2026-02-28T23:00"))
            #expect(!page.contains("<th scope=\"row\">2026-01-01 "))
            let first = try await client.get("\(path)&row=0").text
            #expect(first.contains("rows 1 to ") && !first.contains("do not fit on this page"))
            #expect(first.contains("<th scope=\"row\">2026-01-01 "))
            #expect(first.contains("More rows</a>") && !first.contains("First rows"))
            let small = try await client.get("/console/production/reports/active?from=2026-01-01")
            #expect(!small.text.contains("aria-label=\"Rows\""))
        }
    }

    @Test("A sign-in that may see no page says so, and leads nowhere")
    func nothingToSee() {
        func page(_ scope: Scope) -> String {
            let viewer = Viewer(name: "a", scopes: [scope], hasSession: true)
            return HomePage.page(ReportFormTests.frame(viewer), nil, []).html
        }
        for scope in [Scope.write, .sign] {
            #expect(page(scope).contains("may see no page"))
            #expect(!page(scope).contains("linked above"))
        }
        #expect(page(.reports).contains("linked above"))
    }
}
