import AppStore
import HTTPTypes
import Intake
import Queries
import Reports
import Service
import Testing

@testable import Console
@testable import Web

@Suite("Pages of another moment or of one app")
struct ViewPageTests {
    private static let home = "/console/production"
    private static let customer = "0ab11111-2222-4333-8444-555555555555"
    private let purchase = {
        var purchase = MadePurchase()
        purchase.appAccountToken = ViewPageTests.customer
        return purchase
    }()

    @Test("A known customer without access in a view is not called unknown; an unknown one is")
    func known() async throws {
        let path = "\(ViewPageTests.home)/customers"
        try await ServedPlace().serve(renewed: purchase) { client, _ in
            for view in [
                "knownAt=2020-01-01", "at=2020-01-01", "knownPosition=0",
                "bundleId=com.example.other",
            ] {
                let page = try await client.get("\(path)/\(ViewPageTests.customer)?\(view)")
                let text = page.text
                #expect(page.status == 200, "\(view)")
                #expect(text.contains("<b>No access</b>"), "\(view)")
                #expect(!text.contains("Nothing has been received"), "\(view)")
                let unknown = try await client.get("\(path)/nosuch?\(view)")
                #expect(unknown.status == 404, "\(view)")
                #expect(
                    unknown.text.contains("Nothing has been received"), "\(view)")
            }
        }
    }

    @Test("The field of a view takes a time, a position, now, and blanks around them")
    func field() async throws {
        let path = "\(ViewPageTests.home)/subscriptions/\(purchase.id)?knownAt="
        try await ServedPlace().serve(renewed: purchase) { client, _ in
            for (typed, shown) in [
                ("now", nil), ("++", nil), ("+2100-01-01+", "2100-01-01T00:00:00.000Z"),
                ("%231", "#1"), ("2026-03-20+09:46:40", "2026-03-20T09:46:40.000Z"),
                ("2026-03-20+18:46:40%2B09:00", "2026-03-20T09:46:40.000Z"), ("%2399", "#99"),
            ] {
                let page = try await client.get(path + typed)
                #expect(page.status == 200, "\(typed)")
                let isAhead = typed.contains("2100") || typed == "%2399"
                let view = isAhead ? "A view beyond the present" : "A view of the past"
                #expect(page.text.contains(view) == (shown != nil), "\(typed)")
                let field = "name=\"knownAt\" value=\"\(shown ?? "")\""
                #expect(page.text.contains(field), "\(typed)")
            }
            for wrong in ["%23", "%23-1", "%23x", "%231&knownPosition=1", "tomorrow"] {
                #expect(try await client.get(path + wrong).status == 400, "\(wrong)")
            }
            let small = try await client.get(path + "3011")
            #expect(small.status == 400 && small.text.contains("#3011"))
            let forms = try await client.get(path + "tomorrow").text
            for form in ["now", "a day (2026-01-31)", "#13"] {
                #expect(forms.contains(form), "\(form)")
            }
            for typed in ["now", "2026-03-01%2011:02:00"] {
                let outside = try await client.get(
                    "/v1/subscriptions/\(purchase.id)?knownAt=\(typed)")
                #expect(outside.code == "invalidTime", "\(typed)")
            }
            let reports = "\(ViewPageTests.home)/reports"
            let diff = try await client.get(
                "\(reports)/diff?from=2026-01-01&knownPosition=1"
            ).text
            #expect(diff.contains("<b>A comparison</b>") && !diff.contains("A view of the past"))
        }
    }

    @Test("Fields of a range take times as pages show them; the interface for programs does not")
    func ranges() async throws {
        let shown = ["2026-01-10+12:00:00", "2026-01-10+21:00:00%2B09:00"]
        try await ServedPlace().serve(renewed: purchase) { client, _ in
            for path in [
                "events?receivedFrom=", "events?receivedTo=", "reports/active?from=",
                "reports/churn?from=2026-01-01&to=", "reports/retention-offers?from=",
            ] {
                for time in shown {
                    let page = try await client.get("\(ViewPageTests.home)/\(path)\(time)")
                    #expect(page.status == 200, "\(path)\(time)")
                }
                let wrong = try await client.get("\(ViewPageTests.home)/\(path)2026-01-10+noon")
                #expect(wrong.status == 400 && wrong.text.contains("invalidTime"), "\(path)")
            }
            let outside = try await client.get("/v1/metrics/churn?from=2026-01-10%2012:00:00")
            #expect(outside.code == "invalidTime")
        }
    }

    @Test("A day in the range of retention offers is one of the report's zone, and stays a day")
    func retentionDays() async throws {
        var place = try ServedPlace()
        place.configuration.ledger.reportTimeZone = "Asia/Tokyo"
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            let page = try await client.get(
                "\(ViewPageTests.home)/reports/retention-offers?from=2026-01-10&to=2026-01-11"
            ).text
            for part in [
                "answered from <time datetime=\"2026-01-09T15:00:00.000Z\"",
                "before <time datetime=\"2026-01-10T15:00:00.000Z\"", "value=\"2026-01-10\"",
                "value=\"2026-01-11\"",
            ] {
                #expect(page.contains(part), "\(part)")
            }
        }
    }

    @Test("The page of an event keeps the view, says what had not arrived; another log has none")
    func eventThen() async throws {
        let later = "This event had not arrived then."
        try await ServedPlace().serve(renewed: purchase) { client, _ in
            for (position, view, isLater) in [
                (1, "knownPosition=1", false), (2, "knownPosition=1", true),
                (1, "knownAt=2020-01-01", true), (1, "knownAt=2100-01-01", false),
            ] {
                let page = try await client.get("\(ViewPageTests.home)/events/\(position)?\(view)")
                #expect(page.status == 200, "\(view)")
                #expect(page.text.contains(later) == isLater, "\(view)")
                #expect(page.text.contains("Decides, as known now"), "\(view)")
                let subscription = "/subscriptions/\(purchase.id)?\(view)"
                #expect(page.text.contains(subscription), "\(view)")
            }
            let present = try await client.get("\(ViewPageTests.home)/events/1")
            #expect(!present.text.contains(later) && !present.text.contains("as known now"))
            // A position of this log is not carried into another.
            for (view, kept) in [
                ("knownPosition=1", ""), ("knownAt=2026-02-01", "&amp;knownAt=2026-02-01"),
            ] {
                let text = try await client.get("\(ViewPageTests.home)/find?q=nosuch&\(view)").text
                let other = "href=\"/console/sandbox/find?q=nosuch\(kept)"
                let start = try #require(text.firstRange(of: other), "\(view)")
                let rest = text[start.upperBound...].prefix { $0 != "\"" }
                #expect(!rest.contains("knownPosition"), "\(view)")
            }
        }
    }

    @Test("Every cell and bar of a report filtered by several reasons leads to its chains")
    func byReason() async throws {
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            for body in try [purchase.notificationBody(), purchase.refundBody()] {
                #expect(try await client.notify(body).status == 200)
            }
            _ = try await host.ledger(.production).snapshot(atLeast: 2, limit: .seconds(120))
            for by in ["", "&by=reason", "&by=product", "&by=reason,product"] {
                let page = try await client.get(
                    "\(ViewPageTests.home)/reports/churn?from=2026-01-01&to=2026-03-01"
                        + "&where=reason=refund,reason=voluntary\(by)")
                let text = page.text
                let cells = ScopeLinkTests.links(text).filter { $0.contains("/cell?") }
                #expect(text.contains("aria-label=\"2026-01-01 refund\""), "\(by)")
                #expect(cells.count > 1, "\(by)")
                for cell in cells {
                    let chains = try await client.get(cell)
                    #expect(chains.status == 200, "\(cell)")
                    #expect(chains.text.contains(purchase.id), "\(cell)")
                }
            }
        }
    }

    @Test(
        "Figures of money and deliveries lead to their chains, ours beside another's to their sum")
    func figures() async throws {
        let names = ["mrr", "arr", "mrr-movement", "lateness", "ltv"]
        try await ServedPlace().serve(renewed: purchase) { client, _ in
            for name in names {
                let page = try await client.get(
                    "\(ViewPageTests.home)/reports/\(name)?from=2026-01-01&to=2026-03-01")
                let cells = ScopeLinkTests.links(page.text).filter { $0.contains("/cell?") }
                #expect(!cells.isEmpty)
                for cell in cells {
                    let chains = try await client.get(cell)
                    #expect(chains.status == 200, "\(cell)")
                    #expect(chains.text.contains(purchase.id), "\(cell)")
                    let isYearly = chains.text.contains("Amounts are of a year;")
                    #expect(isYearly == name.contains("rr"), "\(cell)")
                }
            }
            let reports = "\(ViewPageTests.home)/reports"
            var linked: Set<String> = []
            for name in DefinitionPack.metrics {
                for pack in DefinitionPack.allCases.map(\.rawValue) {
                    let page = try await client.get(
                        "\(reports)/\(name)?from=2026-01-01&definitions=\(pack)")
                    // Not every product documents every metric.
                    guard page.status == 200 else { continue }
                    let cells = page.text.split(separator: "<td class=\"num\"><a href=\"")
                    for cell in cells.dropFirst() {
                        let address = cell.prefix { $0 != "\"" }.replacing("&amp;", with: "&")
                        let figure = cell.drop { $0 != ">" }.dropFirst().prefix { $0 != "<" }
                        let chains = try await client.get("\(reports)/\(address)")
                        #expect(chains.status == 200, "\(address)")
                        #expect(chains.text.contains("<h1>\(figure) "), "\(address)")
                        linked.insert(name)
                    }
                    let rows = page.text.ranges(of: "<tr data-row").count
                    #expect(cells.count - 1 <= rows, "\(name) by \(pack)")
                }
            }
            #expect(linked.isSuperset(of: ["active", "arr", "churn", "mrr", "revenue", "starts"]))
        }
    }

    @Test("Churn of paid chains, and any report as a file")
    func variants() async throws {
        let reports = "\(ViewPageTests.home)/reports"
        try await ServedPlace().serve(renewed: purchase) { client, host in
            let paid = try await client.get("\(reports)/churn?from=2026-01-01&paid=true")
            #expect(paid.text.contains("churn.paid/1") && paid.text.contains(" checked>"))
            let cells = ScopeLinkTests.links(paid.text).filter { $0.contains("/cell?") }
            #expect(!cells.isEmpty && cells.allSatisfy { $0.contains("paid=true") })
            for cell in cells {
                let chains = try await client.get(cell)
                // Its links lead to others of paid subscriptions.
                #expect(chains.status == 200 && chains.text.contains("paid=true"), "\(cell)")
            }
            // A report is of a period: no moment limits it, and no page says so.
            let plain = try await client.get("\(reports)/churn?from=2026-01-01&at=2026-02-01").text
            #expect(!plain.contains("A view of the"))
            let cell = try #require(ScopeLinkTests.links(plain).first { $0.contains("/cell?") })
            #expect(try await !client.get(cell).text.contains("paid="))
            for (query, code) in [
                ("churn?paid=true&definitions=revenuecat", "comparedWhole"),
                ("revenue?paid=true", "unknownParameter"), ("churn?format=xml", "invalidParameter"),
                (
                    "revenue/cell?column=gross&from=2026-01-01&paid=true", "unknownParameter"
                ),
            ] {
                let refused = try await client.get("\(reports)/\(query)")
                #expect(refused.status == 400 && refused.text.contains(code), "\(query)")
            }
            for name in ["churn", "revenue"] {
                let file = try await client.get("\(reports)/\(name)?from=2026-01-01&format=csv")
                #expect(file.headers[.contentType] == "text/csv; charset=utf-8")
                #expect(
                    file.headers[.contentDisposition]
                        == "attachment; filename=\"\(name)-at-2.csv\"")
                var asked = MetricParameters()
                asked.from = "2026-01-01"
                let report = try await host.report(
                    .metric(try MetricName(compared: name), asked),
                    QueryScope(environment: .production))
                #expect(file.bytes == report.csv())
            }
        }
    }

    @Test("What changed since is of the same variant, and offered for our own definitions alone")
    func changed() async throws {
        let churn = "\(ViewPageTests.home)/reports/churn?from=2026-01-01&knownPosition=1"
        try await ServedPlace().serve(renewed: purchase) { client, _ in
            func diffs(_ path: String) async throws -> [String] {
                let page = try await client.get(path)
                #expect(page.status == 200, "\(path)")
                return ScopeLinkTests.links(page.text).filter { $0.contains("/reports/diff?") }
            }
            #expect(try await diffs("\(churn)&definitions=stripe").isEmpty)
            let stated = try await client.get(
                "\(ViewPageTests.home)/reports/diff?knownPosition=1&definitions=stripe")
            #expect(stated.status == 400 && stated.text.contains("invalidParameter"))
            let other = try await client.get(
                "\(ViewPageTests.home)/reports/diff?metric=mrr&knownPosition=1&paid=true")
            #expect(other.status == 400 && other.text.contains("unknownParameter"))
            for (path, isPaid) in [(churn, false), ("\(churn)&paid=true", true)] {
                let links = try await diffs(path)
                #expect(!links.isEmpty)
                for link in links {
                    let page = try await client.get(link)
                    #expect(page.status == 200, "\(link)")
                    #expect(page.text.contains("in churn, paid only") == isPaid, "\(link)")
                }
            }
        }
    }

    @Test("A chart that does not fit on a page is left out, and its table stays")
    func chartTooLarge() async throws {
        var purchase = purchase
        purchase.start = purchase.start.advanced(
            byMilliseconds: -4 * MadePurchase.periodMilliseconds)
        let bodies = try (0..<4).map { try purchase.notificationBody($0) }
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            for body in bodies { #expect(try await client.notify(body).status == 200) }
            _ = try await host.ledger(.production).snapshot(atLeast: 4, limit: .seconds(120))
            for (interval, isDrawn) in [("day", true), ("hour", false)] {
                let page = try await client.get(
                    "\(ViewPageTests.home)/reports/churn?from=2025-11-01&interval=\(interval)")
                #expect(page.text.contains("class=\"chart\"") == isDrawn)
                #expect(page.text.contains("intervals do not fit") == !isDrawn)
                #expect(page.text.contains("aria-label=\"Figures\""))
                #expect(page.bytes.count <= 60 * 1_024)
            }
        }
    }

    @Test("The next page of what one app has is of that app, too")
    func nextPage() async throws {
        let app = "bundleId=\(MadePurchase.app)"
        let place = try ServedPlace(apps: [MadePurchase.app, "com.example.second"])
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            // More than a list or a timeline has on one page; the first and last of both apps.
            let count = Frame.rowCount + 8
            let others = [1, 3, 5, count - 5, count - 3, count - 1]
            for number in 0..<count {
                var made = purchase
                made.id = String(500_000_000_000_000 + number)
                if others.contains(number) { made.bundleId = "com.example.second" }
                let answer = try await client.notify(made.notificationBody())
                #expect(answer.status == 200)
            }
            _ = try await host.ledger(.production).snapshot(
                atLeast: Int64(count), limit: .seconds(120))
            for path in [
                "events?types=SUBSCRIBED&\(app)", "customers/\(ViewPageTests.customer)?\(app)",
            ] {
                let first = try await client.get("\(ViewPageTests.home)/\(path)")
                let text = first.text
                let start = try #require(
                    text.firstRange(of: "<a rel=\"next\" href=\""), "\(path)")
                let link = text[start.upperBound...].prefix { $0 != "\"" }
                let next = try await client.get(String(link.replacing("&amp;", with: "&")))
                #expect(next.status == 200, "\(path)")
                let rest = next.text
                #expect(rest.contains("Only of app \(MadePurchase.app)"), "\(path)")
                for number in others {
                    let other = String(500_000_000_000_000 + number)
                    #expect(!rest.contains(other), "\(path)")
                }
            }
        }
    }
}
