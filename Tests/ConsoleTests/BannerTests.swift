import AppStore
import Ledger
import LedgerStore
import Testing

@testable import Console

@Suite("What a page says above its content")
struct BannerTests {
    private let frame = BannerTests.frame("help")

    private static func frame(_ path: String...) -> Frame {
        Frame.bare(path, now: Timestamp(milliseconds: 1_774_000_000_000))
    }

    private func html(_ frame: Frame) -> String { Page("Help", frame, "").html }

    @Test("A service behind says by how many events; without its database, how old answers are")
    func behind() {
        #expect(!html(frame).contains("class=\"banner"))
        var behind = frame
        behind.lag = 12
        #expect(html(behind).contains("12 events are not included yet"))
        behind.lag = 1
        #expect(html(behind).contains("1 event is not included yet"))
        behind.ageSeconds = 7
        #expect(html(behind).contains("The database cannot be reached"))
        #expect(html(behind).contains("answers are 7 s old") && !html(behind).contains("included"))
        for (code, text) in [
            (StoreError.Code.fileLocked, "This node cannot follow the log (fileLocked)."),
            (.logWentBack, "The log lacks events that this node has seen.</b> At 5."),
        ] {
            behind.logFailure = StoreError(code, reason: "At 5.", remedy: "")
            let page = html(behind)
            for part in [text, "7 s old", "1 event is not included yet"] {
                #expect(page.contains(part), "\(code) \(part)")
            }
            #expect(!page.contains("database cannot"))
            #expect(page.contains("subledger log accept") == (code == .logWentBack))
        }
    }

    @Test("A service with its own log says why it does not follow it")
    func stopped() {
        var stopped = frame
        stopped.lag = 2
        stopped.logFailure = StoreError(.ioError, reason: "", remedy: "")
        let page = html(stopped)
        #expect(page.contains("This node cannot follow the log (ioError)."))
        #expect(page.contains("2 events are not included yet") && !page.contains("s old"))
    }

    @Test("A decision that cannot be checked is not stated")
    func unchecked() {
        var one = frame
        one.done = 7
        #expect(html(one).contains("Done: it is event"))
        one.isDoneChecked = false
        #expect(!html(one).contains("Done: it is event"))
    }

    @Test("A page of one app leads to that of all apps in the same view")
    func oneApp() {
        var one = frame
        one.state.bundleId = BundleId("com.example.app")
        one.state.knowledge = .knownPosition(7)
        let state = one.state
        let address = "/console/production/help?knownPosition=7"
        #expect(html(one).contains("<a href=\"\(address)\">All apps</a>"))
        let app = "bundleId=com.example.app"
        for (path, isKept) in [("subscriptions", false), ("reports", true)] {
            one = BannerTests.frame(path, "1")
            one.state = state
            let page = html(one)
            #expect(page.contains("/reports?knownPosition=7&amp;\(app)\"") == isKept, "\(path)")
        }
        // A form is of the app that it names.
        one = BannerTests.frame("recoveries", "start")
        (one.state, one.key) = (state, "k7")
        #expect(!html(one).contains("All apps"))
    }

    @Test("Links of a page to itself keep what it was asked, and other zones its place, too")
    func kept() {
        var one = BannerTests.frame("reports", "churn")
        one.state.bundleId = BundleId("com.example.app")
        one.state.knowledge = .knownPosition(7)
        one.kept = [("from", "2024-06-01"), ("to", nil), ("where", "country=USA")]
        one.place = [("row", "40")]
        let (path, asked) = (
            "/console/production/reports/churn", "from=2024-06-01&amp;where=country%3DUSA"
        )
        let (app, known) = ("&amp;bundleId=com.example.app", "&amp;knownPosition=7")
        for address in [
            "\(path)?\(asked)\(known)\">All apps",
            "\(path)?\(asked)\(app)\">Back to the present",
            "\(path)?row=40&amp;\(asked)\(app)\(known)&amp;tz=local\">local",
        ] { #expect(html(one).contains("<a href=\"\(address)</a>"), "\(address)") }
        var list = BannerTests.frame("events")
        list.state.bundleId = BundleId("com.example.app")
        let zone = "/console/production/events?bundleId=com.example.app&amp;tz=local"
        #expect(html(list).contains("<a href=\"\(zone)\">local</a>"))
    }

    @Test("Completeness that is not confirmed is a warning")
    func complete() {
        var stated = frame
        stated.saysComplete = true
        let never = html(stated)
        #expect(never.contains("<p class=\"banner warn\">Completeness is not confirmed"))
        #expect(!never.contains("Complete from"))
        // No page says what to do about an app that is not configured.
        var unchecked = stated
        unchecked.isUnchecked = true
        #expect(html(unchecked).contains("An app of this page is not configured"))
        #expect(!html(unchecked).contains("says what to do"))
        stated.complete = CompleteWindow(
            from: Timestamp(milliseconds: 0), through: Timestamp(milliseconds: 1_000))
        #expect(html(stated).contains("Complete from") && !html(stated).contains("not confirmed"))
    }

    @Test("A problem keeps the page, with its code, what to do and when, as text")
    func problem() {
        let page = PlainPages.problem(
            frame, status: 503, code: "projectionBehind", detail: "<b>Later", retrySeconds: 3)
        for part in ["class=\"find\"", "projectionBehind", "&lt;b&gt;Later", "Try again in 3 s"] {
            #expect(page.html.contains(part), "\(part)")
        }
    }
}
