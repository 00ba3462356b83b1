import AppStore
import HTTPTypes
import Intake
import Ledger
import LedgerStore
import Projection
import SQLiteStore
import Service
import Testing

@testable import Console
@testable import Web

@Suite("Pages of the console")
struct ConsolePageTests {
    private static let home = "/console/production"
    private let purchase = MadePurchase()
    private static let bodies = Result {
        try (0...2).map { try MadePurchase().notificationBody($0) }
    }

    private func bought(
        _ body: @escaping @Sendable (WebClient, LedgerHost) async throws -> Void
    ) async throws {
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            for body in try ConsolePageTests.bodies.get() { _ = try await client.notify(body) }
            _ = try await client.ask("/v1/subscriptions/\(purchase.id)?minPosition=3")
            try await body(client, host)
        }
    }

    @Test("A purchase is found by any of its ids, and its page leads to the signed bytes")
    func found() async throws {
        let id = purchase.id
        try await bought { client, _ in
            let found = try await client.get("\(ConsolePageTests.home)/find?q=\(id)")
            #expect(found.status == 303)
            let address = try #require(found.headers[.location])
            #expect(address == "\(ConsolePageTests.home)/subscriptions/\(id)")
            let page = try await client.get(address)
            #expect(page.status == 200 && page.text.contains("\(ConsolePageTests.home)/events/3"))
            let event = try await client.get("\(ConsolePageTests.home)/events/3")
            let text = event.text
            #expect(text.contains("data-jws-from=\"jws\"") && text.contains("data-leaf-hash="))
            #expect(text.contains("The checks that stand above are of"))
            #expect(!text.contains("Checked are"))
            #expect(text.contains("id=\"jws\"") && !text.contains("data-raw="))
            #expect(text.contains("<dt>Decides</dt>") && text.contains("renewed at <time"))
            let first = try await client.get("\(ConsolePageTests.home)/events/1").text
            #expect(first.contains("</b> from <time"))
            #expect(!text.contains("counted in"))
            let start = try #require(first.firstRange(of: "counted in <a href=\""))
            let link = first[start.upperBound...].prefix { $0 != "\"" }
            #expect(first[start.upperBound...].contains("churn of 2026-01, new</a>"))
            let cell = try await client.get(
                String(link.replacing("&amp;", with: "&")))
            #expect(cell.status == 200)
            let chains = cell.text
            #expect(chains.contains(id) && chains.contains("events/1\""))
            #expect(chains.contains("· 1 chain</p>"))
            let raw = try await client.get("\(ConsolePageTests.home)/events/3/raw")
            #expect(raw.bytes.first == UInt8(ascii: "e"))
            #expect(try await client.get("\(ConsolePageTests.home)/events/4").status == 404)
        }
    }

    @Test("Ids from outside stay text")
    func hostileIds() async throws {
        let ids = [
            "%3Cscript%3Ealert(1)%3C%2Fscript%3E", "%E2%80%AEabc", "a%22b%27c", "%20a",
        ]
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            for id in ids {
                for path in ["customers/\(id)", "subscriptions/\(id)", "find?q=\(id)"] {
                    let answer = try await client.get("\(ConsolePageTests.home)/\(path)")
                    // The browser sends a field's value back, so that it has the id itself.
                    let text = answer.text.replacing(/value="[^"]*"/, with: "")
                    #expect(answer.status == 404, "\(id)")
                    #expect(!text.contains("<script>alert") && !text.contains("\u{202E}"), "\(id)")
                    #expect(text.contains("Nothing has been received about this id"), "\(id)")
                }
            }
        }
    }

    @Test("An id beyond its bound, unknown environments, parameters and paths are refused as pages")
    func refused() async throws {
        let paths = ["customers", "nope", "events/1/nope", "reports/churn/cell/nope", "a%2F..%2Fb"]
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            let long = String(repeating: "a", count: PathReader.maximumByteCount)
            #expect(
                try await client.get("\(ConsolePageTests.home)/customers/\(long)").status == 404)
            let longer = try await client.get("\(ConsolePageTests.home)/customers/\(long)a")
            #expect(longer.status == 400 && longer.text.contains("invalidPath"))
            let tenKilobytes = String(repeating: "a", count: 10 * 1_024)
            for path in ["customers/\(tenKilobytes)", "find?q=\(tenKilobytes)"] {
                let page = try await client.get("\(ConsolePageTests.home)/\(path)")
                #expect(page.status == 400 && !page.text.contains(tenKilobytes))
            }
            #expect(try await client.get("/console/nowhere/intake").status == 404)
            #expect(try await client.get("/console/xcode/intake").status == 404)
            let unknown = try await client.get("\(ConsolePageTests.home)/intake?knownAT=1")
            #expect(
                unknown.status == 400 && unknown.headers[.contentType] == "text/html; charset=utf-8"
            )
            for path in paths {
                for method in [HTTPRequest.Method.get, .post] {
                    let page = try await client.send(
                        method, "\(ConsolePageTests.home)/\(path)", WebClient.formFields())
                    #expect(page.status == 404, "\(path)")
                    #expect(page.headers[.contentType] == "text/html; charset=utf-8", "\(path)")
                    #expect(page.headers[.contentSecurityPolicy] == ConsoleGuard.policy, "\(path)")
                    #expect(page.text.contains("noSuchPath"), "\(path)")
                }
            }
            let elsewhere = try await client.get("/console-of-another")
            #expect(elsewhere.code == "noSuchPath")
        }
    }

    @Test("No page shows what belongs to another environment")
    func environments() async throws {
        var made = purchase
        made.environment = .sandbox
        let purchase = made
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            let posted = try await client.notify(purchase.notificationBody(0))
            #expect(posted.status == 200)
            let id = purchase.id
            _ = try await client.ask(
                "/v1/subscriptions/\(id)?environment=sandbox&minPosition=1")
            let own = try await client.get("/console/sandbox/subscriptions/\(id)")
            #expect(own.status == 200 && own.text.contains("com.example.pro.monthly"))
            for path in [
                "", "events", "events/1", "intake", "decisions", "find?q=\(id)",
                "subscriptions/\(id)", "subscriptions/\(id)/note",
            ] {
                let page = try await client.get("\(ConsolePageTests.home)/\(path)")
                let text = page.text
                #expect(!text.contains("com.example.pro.monthly"), "\(path)")
                #expect(!text.contains("/events/1\""), "\(path)")
            }
        }
    }

    @Test("A decision is one event however often its form is sent, and its page names it")
    func decided() async throws {
        let path = "\(ConsolePageTests.home)/customers/ann/note"
        try await bought { client, host in
            let form = Array("key=one&actor=sara&reason=ticket+7".utf8)
            async let one = client.submit(path, form)
            async let other = client.submit(path, form)
            let (first, second) = try await (one, other)
            let again = try await client.submit(path, form)
            #expect([first, second, again].map(\.status) == [303, 303, 303])
            let address = try #require(first.headers[.location])
            #expect(address == second.headers[.location] && address == again.headers[.location])
            #expect(address == "\(ConsolePageTests.home)/customers/ann?done=4")
            #expect(try await host.end() == 4)
            let page = try await client.get(address).text
            #expect(page.contains("#4") && page.contains("ticket 7"))
            let event = try await client.get("\(ConsolePageTests.home)/events/4")
            #expect(!event.text.contains("Decides"))
        }
    }

    @Test(
        "A grant of what no product of the catalogue has is named",
        arguments: [[ProductId("a"): Catalogue.Product(entitlements: ["pro"])], [:]])
    func unlisted(products: [ProductId: Catalogue.Product]) async throws {
        var place = try ServedPlace()
        place.configuration.catalogue.products = products
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            let path = "\(ConsolePageTests.home)/customers/ann"
            for granted in ["pro", "prro"] {
                let form = "key=\(granted)&actor=sara&reason=x&until=2100-01-01"
                let made = try await client.submit(
                    "\(path)/grant", "\(form)&entitlement=\(granted)".utf8)
                #expect(made.status == 303)
                let after = try await client.get(try #require(made.headers[.location])).text
                let warning = "No product of the catalogue has the entitlement <b>prro</b>"
                let isWarned = granted == "prro" && !products.isEmpty
                #expect(after.contains(warning) == isWarned)
            }
            #expect(try await !client.get(path).text.contains("No product of the catalogue"))
        }
    }

    @Test("A service that is behind says by how much; the page after an act waits for it")
    func behind() async throws {
        var place = try ServedPlace()
        place.waitLimit = ServedPlace.briefWait
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let served = try host.ledger(.production)
            let first = try await client.notify(purchase.notificationBody(0))
            #expect(first.status == 200)
            _ = try await served.snapshot(atLeast: 1, limit: .seconds(120))
            let lock = try await ProjectorLock.held(directory: served.ledger.directory)
            defer { withExtendedLifetime(lock) {} }
            let second = try await client.notify(purchase.notificationBody(1))
            #expect(second.status == 200)
            let page = try await client.get("\(ConsolePageTests.home)/subscriptions/\(purchase.id)")
            let text = page.text
            #expect(page.status == 200 && text.contains("1 event is not included yet"))
            #expect(text.contains("events/1\"") && !text.contains("events/2\""))
            let intake = try await client.get("\(ConsolePageTests.home)/intake")
            #expect(intake.text.contains("; lag 1: answers reach position 1."))
            // An event that no answer includes has its page.
            let event = try await client.get("\(ConsolePageTests.home)/events/2")
            #expect(event.status == 200 && !event.text.contains("Decides"))
            let noted = try await client.submit(
                "\(ConsolePageTests.home)/customers/ann/note", "key=k&actor=sara&reason=r".utf8)
            #expect(noted.status == 303)
            let after = try await client.get(try #require(noted.headers[.location]))
            #expect(after.status == 503 && after.headers[.refresh] != nil)
            #expect(after.text.contains("projectionBehind"))
            #expect(after.text.contains("Recorded as event #3; do not send it again."))
        }
    }

    @Test("A link shows both sides first, then moves the purchase; its former customer sees where")
    func linked() async throws {
        let id = purchase.id
        let path = "\(ConsolePageTests.home)/customers/ann/link"
        try await bought { client, host in
            let form = try await client.get("\(path)?chain=\(id)").text
            #expect(form.contains("Before") && form.contains(id) && form.contains("no customer"))
            let body = Array("key=k&actor=sara&reason=r&chain=\(id)".utf8)
            let answer = try await client.submit(path, body)
            #expect(answer.status == 303)
            let page = try await client.get(try #require(answer.headers[.location]))
            #expect(page.text.contains("data-reason=\"renews\""))
            let other = "\(ConsolePageTests.home)/customers/bob/link"
            let next = try await client.submit(
                other, "key=two&actor=sara&reason=r&chain=\(id)".utf8)
            let present = try await client.get(try #require(next.headers[.location])).text
            #expect(present.contains(">#5</a>: linked or unlinked by an operator)"))
            let former = try await client.get("\(ConsolePageTests.home)/customers/ann").text
            #expect(former.contains("data-reason=\"movedOn\"") && former.contains("events/5\""))
        }
    }

    @Test("What is missing from a form is said, what was typed stays; a refusal is remembered")
    func incomplete() async throws {
        let path = "\(ConsolePageTests.home)/customers/ann/grant"
        try await bought { client, host in
            for body in [
                "key=k&actor=sara&reason=r&entitlement=pro&until=soon",
                "key=k&actor=sara&reason=&entitlement=pro&until=2030-01-31",
                "key=k&actor=&reason=r&entitlement=pro&until=2030-01-31",
                "key=k&actor=sara&reason=r&entitlement=pro&until=2001-01-31",
            ] {
                let answer = try await client.submit(path, body.utf8)
                #expect(answer.status == 400 && answer.text.contains("value=\"pro\""))
            }
            let unknown = try await client.submit(
                "\(ConsolePageTests.home)/customers/ann/link",
                "key=k&actor=sara&reason=r&chain=nosuch".utf8)
            #expect(unknown.status == 404)
            let page = try await client.get("\(ConsolePageTests.home)/decisions")
            #expect(page.text.contains("refused: noSuchSubscription"))
            let claimed = try await client.get("\(ConsolePageTests.home)/customers/ann?done=2")
            #expect(!claimed.text.contains("Done:"))
            #expect(try await host.end() == 3)
        }
    }

    @Test("A view of the past offers no act, and refuses one")
    func past() async throws {
        let id = purchase.id
        try await bought { client, host in
            let page = try await client.get(
                "\(ConsolePageTests.home)/subscriptions/\(id)?knownPosition=2")
            let text = page.text
            #expect(text.contains("A view of the past") && !text.contains("/note\""))
            #expect(!text.contains("events/3\""))
            let before = try await client.get(
                "\(ConsolePageTests.home)/subscriptions/\(id)?knownAt=2020-01-01")
            let nothing = before.text
            #expect(before.status == 404 && nothing.contains("A view of the past"))
            #expect(nothing.contains("id=\"knownAt\"") && nothing.contains("was received on"))
            let answer = try await client.submit(
                "\(ConsolePageTests.home)/customers/ann/note?knownPosition=2",
                "key=k&actor=a&reason=r".utf8)
            #expect(answer.status == 400)
            #expect(try await host.end() == 3)
        }
    }

    @Test("A form is bounded at its limit, and must be a form")
    func formBounds() async throws {
        let path = "\(ConsolePageTests.home)/customers/ann/note"
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            let head = "key=k&actor=a&reason="
            let room = ConsoleForm.maximumByteCount - head.utf8.count
            let full = Array((head + String(repeating: "r", count: room)).utf8)
            // The reason is too long, the form is not.
            let atLimit = try await client.submit(path, full)
            #expect(atLimit.status == 400)
            let beyond = try await client.submit(path, full + [UInt8(ascii: "r")])
            #expect(beyond.status == 413)
            var json = WebClient.formFields()
            json[.contentType] = "application/json"
            #expect(try await client.send(.post, path, json, Array("{}".utf8)).status == 415)
        }
    }

    @Test("Retention messages have a page in the list of reports, with a range of their own")
    func retentionOffers() async throws {
        let chain = ChainId(
            bundleId: BundleId(MadePurchase.app),
            originalTransactionId: OriginalTransactionId(purchase.id))
        let path = "\(ConsolePageTests.home)/reports/retention-offers"
        try await bought { client, host in
            let record = RetentionRecord(
                requestId: "a", chain: chain, at: ServedPlace.now, outcome: .shown, rule: "yearly",
                message: "m-1")
            let operations = try host.ledger(.production).ledger.operations
            let isKept = try await operations.keep([record], erasures: 0)
            #expect(isKept)
            let list = try await client.get("\(ConsolePageTests.home)/reports").text
            #expect(list.contains("\(path)?from="))
            let end = ServedPlace.now.milliseconds + 1
            let page = try await client.get("\(path)?to=\(end)").text
            #expect(page.contains("yearly") && page.contains("m-1"))
            #expect(!page.contains("id=\"knownAt\""))
            let earlier = try await client.get("\(path)?from=2020-01-01&to=2020-01-02")
            #expect(earlier.text.contains("No message was shown"))
            let empty = try await client.get("\(path)?from=2020-01-01&to=2020-01-01")
            #expect(empty.status == 400 && empty.text.contains("invalidRange"))
        }
    }
}
