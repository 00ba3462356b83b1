import AppStore
import Ledger
import Projection
import Testing

@testable import Console

@Suite("Pages as HTML")
struct HTMLTests {
    @Test(
        "No value becomes markup",
        arguments: [
            "<script>alert(1)</script>", "\" onmouseover=\"x", "' x='", "a&b", "</title>",
        ])
    func markup(_ value: String) {
        let page: HTML = "<p title=\"\(value)\">\(value)</p>"
        let inside = page.text.dropFirst("<p title=\"".count).dropLast("</p>".count)
        #expect(!inside.contains("<") && !inside.contains("'"))
        #expect(inside.filter { $0 == "\"" }.count == 1)
    }

    @Test("A text's moments are in the zone of the page, and the rest of it stays text")
    func timed() {
        var state = ViewState(environment: .production)
        state.zone = .report
        let frame = Frame(
            state: state, viewer: .unnamed, served: [.production],
            reportZone: ReportZone("Asia/Tokyo")!, now: Timestamp(milliseconds: 0), path: [])
        let text = frame.timed("<b> 2026-01-10T12:00:00.000Z, 2026-13-40T12:00:00.000Z").text
        #expect(text.hasPrefix("&lt;b&gt; <time datetime=\"2026-01-10T12:00:00.000Z\""))
        #expect(text.hasSuffix(">2026-01-10 21:00:00+09:00</time>, 2026-13-40T12:00:00.000Z"))
    }

    @Test("The scripts that pages load are at most 15 KiB")
    func scripts() {
        let scripts = ConsoleAsset.all.filter { $0.path.hasSuffix(".js") }
        #expect(scripts.count == 2)
        #expect(scripts.reduce(0) { $0 + $1.bytes.count } <= 15 * 1_024)
    }

    @Test("Characters that reorder text are shown, not applied; so are those that XML lacks")
    func reordering() {
        let page: HTML = "\("abc\u{202E}fed\u{0}\u{FFFE}")"
        #expect(page.text == "abc\\u202Efed\\u0000\\uFFFE")
    }

    @Test("The value of a field is sent back as it was typed, and is no markup")
    func values() {
        let text = "👨\u{200D}👩 \u{AD}\u{202E}\u{FFFE}\r"
        let value = "👨\u{200D}👩 \u{AD}\u{202E}\u{FFFE}&#13;"
        var frame = Frame.bare([], now: Timestamp(milliseconds: 1_774_000_000_000))
        frame.values = ["actor": text, "reason": "\n\(text)"]
        let order = frame.order().text
        #expect(order.contains(" value=\"\(value)\""))
        // Of two line feeds the browser keeps the second.
        #expect(order.contains(">\n\n\(value)</textarea>"))
        #expect(HTML.input("a", "A", text).text.contains(" value=\"\(value)\""))
        #expect(Page.hidden([("a", text)]).text.contains(" value=\"\(value)\""))
        #expect(HTML(field: "<\"'&>").text == "&lt;&quot;&#39;&amp;&gt;")
    }

    @Test("The slider of knowledge stands at the known time and reaches a day before it")
    func slider() throws {
        let now = Timestamp(milliseconds: 1_774_000_000_123)
        let day: Int64 = 86_400_000
        var frame = Frame.bare(["customers", "ann"], now: now)
        func bound(_ name: String) throws -> Int64 {
            let form = frame.knowledgeForm.text
            let start = try #require(form.firstRange(of: "data-slider=\"knownAt\""))
            let rest = form[start.upperBound...]
            let value = try #require(rest.firstRange(of: "\(name)=\""))
            return try #require(Int64(rest[value.upperBound...].prefix { $0 != "\"" }))
        }
        #expect(try bound("value") == now.milliseconds)
        #expect(try bound("max") == now.milliseconds)
        #expect(try bound("min") == now.milliseconds - 400 * day)
        for days in [-500, -399, -1, 1, 500] as [Int64] {
            let known = now.advanced(byMilliseconds: days * day + 7)
            frame.state.knowledge = .knownAt(known)
            let (least, most) = (try bound("min"), try bound("max"))
            #expect(try bound("value") == known.milliseconds, "\(days)")
            #expect(least <= known.milliseconds - day, "\(days)")
            #expect(most == max(known, now).milliseconds, "\(days)")
            #expect((known.milliseconds - least) % 60_000 == 0, "\(days)")
        }
        frame.state.knowledge = .knownPosition(300)
        #expect(!frame.knowledgeForm.text.contains("data-slider"))
    }

    @Test("Markup in markup is not escaped again")
    func nested() {
        let inner: HTML = "<b>\("a<b")</b>"
        let outer: HTML = "<p>\(inner)\(nil as HTML?)\([inner, inner])</p>"
        #expect(outer.text == "<p><b>a&lt;b</b><b>a&lt;b</b><b>a&lt;b</b></p>")
    }

    @Test("A page has the parts that fit, but at least one; the next page begins after them")
    func parts() {
        let part: (Int) -> HTML = { "\($0)-" }
        let atLimit = HTML.parts(5, from: 0, within: 6, part)
        #expect(atLimit.html.text == "0-1-2-" && atLimit.end == 3)
        let below = HTML.parts(5, from: 0, within: 5, part)
        #expect(below.html.text == "0-1-" && below.end == 2)
        let last = HTML.parts(5, from: 3, within: 6, part)
        #expect(last.html.text == "3-4-" && last.end == 5)
        let large = HTML.parts(5, from: 4, within: 1, part)
        #expect(large.html.text == "4-" && large.end == 5)
        let newest = HTML.parts(5, from: nil, within: 5, part)
        #expect(newest.html.text == "3-4-" && newest.start == 3 && newest.end == 5)
        let all = HTML.parts(5, from: nil, within: 10, part)
        #expect(all.html.text == "0-1-2-3-4-" && all.start == 0)
        let none = HTML.parts(0, from: nil, within: 10, part)
        #expect(none.html.isEmpty && none.end == 0)
        let beyond = HTML.parts(5, from: .max, within: 6, part)
        #expect(beyond.html.isEmpty && beyond.end == .max)
    }

    @Test("A table without links is reached by the keyboard itself, to scroll it")
    func scrolled() {
        let table = RowTable(label: "Names", heads: ["Name"])
        for (cell, isItself) in [("a" as HTML, true), ("<a href=\"b\">b</a>", false)] {
            let html = table.html([table.row([cell])], empty: "").text
            #expect(html.contains("tabindex=\"0\"") == isItself)
        }
    }

    @Test("A time in the zone of reports has its offset, by which a repeated hour is unambiguous")
    func times() throws {
        let moment = try #require(Timestamp(rfc3339: "2024-10-27T00:30:05.678Z"))
        var frame = Frame(
            state: ViewState(environment: .production), viewer: .unnamed, served: [.production],
            reportZone: try #require(ReportZone("Europe/Berlin")), now: moment, path: [])
        #expect(frame.text(moment) == "2024-10-27 00:30:05")
        frame.state.zone = .report
        #expect(frame.text(moment) == "2024-10-27 02:30:05+02:00")
        let next = moment.advanced(byMilliseconds: 3_600_000)
        #expect(frame.text(next) == "2024-10-27 02:30:05+01:00")
        let utc = Frame.bare([], now: moment)
        #expect(utc.text(moment) == "2024-10-27 00:30:05")
    }

    @Test("Every link keeps environment, moment, knowledge, app and zone")
    func links() throws {
        var state = ViewState(environment: .sandbox)
        state.at = Timestamp(milliseconds: 1_774_000_000_000)
        state.knowledge = .knownPosition(7)
        state.bundleId = BundleId("com.example.app")
        state.zone = .local
        let address = state.url(["customers", "a/b?c&d é"], [("before", "1~0"), ("none", nil)])
        #expect(address.hasPrefix("/console/sandbox/customers/a%2Fb%3Fc%26d%20%C3%A9?before=1~0&"))
        for part in ["at=2026-03-20T09%3A46%3A40.000Z", "knownPosition=7", "tz=local"] {
            #expect(address.contains(part))
        }
        #expect(state.isHistoric && !address.contains("none"))
        #expect(ViewState(environment: .production).url() == "/console/production/")
    }
}
