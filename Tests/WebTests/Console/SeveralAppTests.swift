import AppStore
import HTTPTypes
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Simulator
import Testing

@testable import Service
@testable import Web

@Suite("The console with one id in two apps")
struct SeveralAppTests {
    private static let home = "/console/production"
    private static let second = "com.example.second"
    private let purchase = MadePurchase()

    /// Where the acting form of a page is sent.
    private static func target(_ page: WebClient.Answer) throws -> String {
        let html = page.text
        let form = "<form class=\"act\" method=\"post\" action=\""
        let start = try #require(html.firstRange(of: form))
        let address = html[start.upperBound...].prefix { $0 != "\"" }
        return String(address.replacing("&amp;", with: "&"))
    }

    /// The app that an event names.
    private static func app(of position: Int64, _ host: LedgerHost) async throws -> String? {
        let log = try host.ledger(.production).ledger.log
        return try await log.event(at: position)?.event.attributes.bundleId.rawValue
    }

    /// A purchase in the first app, and one of the same id in the second.
    private func bought(
        _ body: @escaping @Sendable (WebClient, LedgerHost) async throws -> Void
    ) async throws {
        let place = try ServedPlace(apps: [MadePurchase.app, SeveralAppTests.second])
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            var other = purchase
            other.bundleId = SeveralAppTests.second
            // The UUID of a notification is known once, whatever its app.
            for (made, period) in [(purchase, 0), (other, 1)] {
                let posted = try await client.notify(made.notificationBody(period))
                #expect(posted.status == 200)
            }
            _ = try await host.ledger(.production).snapshot(atLeast: 2, limit: .seconds(120))
            try await body(client, host)
        }
    }

    @Test("A note and a look-up are of the chain whose page led to their forms")
    func forms() async throws {
        let path = "\(SeveralAppTests.home)/subscriptions/\(purchase.id)"
        let app = "bundleId=\(SeveralAppTests.second)"
        try await bought { (client: WebClient, host: LedgerHost) async throws in
            let several = try await client.get(path)
            #expect(several.text.contains("Several purchases have this id"))
            let page = try await client.get("\(path)?\(app)").text
            #expect(page.contains("\(path)/note?\(app)\""))
            let event = try await client.get("\(SeveralAppTests.home)/events/2").text
            #expect(event.contains("href=\"\(path)?\(app)\""))
            let lookUp = try await client.get("\(path)/look-up?\(app)")
            let asking = try SeveralAppTests.target(lookUp)
            #expect(asking == "\(path)/look-up?\(app)")
            let target = try SeveralAppTests.target(try await client.get("\(path)/note?\(app)"))
            let sent = try await client.submit(target, "key=k&actor=sara&reason=r".utf8)
            #expect(sent.status == 303 && sent.headers[.location] == "\(path)?done=3&\(app)")
            #expect(try await SeveralAppTests.app(of: 3, host) == SeveralAppTests.second)
        }
    }

    @Test("Apple can be asked about the app that has a key, and about no other")
    func keys() async throws {
        let path = "\(SeveralAppTests.home)/subscriptions/\(purchase.id)"
        let world = try RecoveryWorld()
        let apple = try world.client(world.apple())
        let window = OutageDetection.Suggestion(
            from: purchase.start, to: purchase.start(1), reasons: [.silence])
        try await bought { (client: WebClient, host: LedgerHost) async throws in
            func page(_ path: String) async throws -> String {
                try await client.get(path).text
            }
            let order = "\(SeveralAppTests.home)/find?q=MXXXXXXXXX"
            let unknown = try await page(order)
            #expect(unknown.contains("subledger api order") && !unknown.contains(">Ask Apple</a>"))
            let recoveries = "\(SeveralAppTests.home)/recoveries"
            let without = try await page(recoveries)
            #expect(!without.contains("Recover a window"))
            host.reach.use([RecoveryWorld.app: apple])
            #expect(try await page(recoveries).contains("Recover a window"))
            #expect(try await page(order).contains(">Ask Apple</a>"))
            // Apple has the endpoint in Production only.
            let sandbox = try await page("/console/sandbox/find?q=MXXXXXXXXX")
            #expect(sandbox.contains("subledger api order") && !sandbox.contains(">Ask Apple</a>"))
            for (app, hasKey) in [(MadePurchase.app, true), (SeveralAppTests.second, false)] {
                let text = try await page("\(path)?bundleId=\(app)")
                #expect(text.contains("id=\"notices\""))
                #expect(text.contains("/look-up?bundleId=\(app)\"") == hasKey, "\(app)")
                host.outages.note(.production, BundleId(app), [window], at: ServedPlace.now)
            }
            let intake = try await page("\(SeveralAppTests.home)/intake")
            let offered = "recoveries/start?bundleId="
            #expect(intake.contains("\(offered)\(MadePurchase.app)&amp;"))
            #expect(!intake.contains("\(offered)\(SeveralAppTests.second)"))
            #expect(intake.ranges(of: "This app has no API key").count == 1)
            #expect(intake.contains(">Recover this window</a>") && intake.contains("; lag 0."))
            #expect(intake.contains("/reports/lateness\">Lateness</a>"))
        }
    }

    @Test("A link is of that chain, too, or asks which; the find box looks in every app")
    func linked() async throws {
        let id = purchase.id
        let path = "\(SeveralAppTests.home)/subscriptions/\(id)"
        let app = "bundleId=\(SeveralAppTests.second)"
        try await bought { (client: WebClient, host: LedgerHost) async throws in
            let page = try await client.get("\(path)?\(app)").text
            let start = try #require(page.firstRange(of: "<form class=\"find\""))
            let end = try #require(page[start.upperBound...].firstRange(of: "</form>"))
            #expect(!page[start.upperBound..<end.lowerBound].contains("bundleId"))
            let asked = try await client.get("\(path)/link?\(app)").text
            #expect(asked.contains("name=\"bundleId\" value=\"\(SeveralAppTests.second)\""))
            let next = try await client.get("\(path)/link?\(app)&customer=ann")
            let address = try #require(next.headers[.location])
            let target = try SeveralAppTests.target(try await client.get(address))
            let sent = try await client.submit(target, "key=k&actor=sara&reason=r&chain=\(id)".utf8)
            #expect(sent.headers[.location] == "\(SeveralAppTests.home)/customers/ann?done=3")
            #expect(try await SeveralAppTests.app(of: 3, host) == SeveralAppTests.second)
            let customer = try await client.get("\(SeveralAppTests.home)/customers/ann?done=3").text
            #expect(customer.contains("/unlink?chain=\(id)&amp;\(app)\""))
            // One that begins at a customer, without the app.
            let bob = "\(SeveralAppTests.home)/customers/bob/link"
            let several = try await client.get("\(bob)?chain=\(id)")
            #expect(several.status == 200)
            let link = "\(bob)?chain=\(id)&\(app)"
            let text = several.text
            #expect(text.contains("<a href=\"\(link.replacing("&", with: "&amp;"))\">"))
            #expect(text.contains("bundleId=\(MadePurchase.app)\""))
            let form = try SeveralAppTests.target(try await client.get(link))
            let moved = try await client.submit(
                form, "key=l&actor=sara&reason=r&chain=\(id)".utf8)
            #expect(moved.status == 303)
            #expect(try await SeveralAppTests.app(of: 4, host) == SeveralAppTests.second)
        }
    }

    @Test("An id of two purchases of one app leads to each of them")
    func oneApp() async throws {
        // given
        var other = purchase
        other.id = "600000000000001"
        let shared = purchase.transactionId(1)
        let intruder = other.notification(2).withTransaction {
            $0.transactionId = TransactionId(shared)
        }
        let (first, second) = (purchase.id, other.id)
        let bodies = [
            try purchase.notificationBody(1), MadePurchase.body(try intruder.token()),
        ]
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            for body in bodies {
                let posted = try await client.notify(body)
                #expect(posted.status == 200)
            }
            _ = try await host.ledger(.production).snapshot(atLeast: 2, limit: .seconds(120))
            let path = "\(SeveralAppTests.home)/subscriptions"
            // when
            let found = try await client.get("\(SeveralAppTests.home)/find?q=\(shared)").text
            let several = try await client.get("\(path)/\(shared)").text
            // then
            #expect(several.contains("Several purchases have this id"))
            for id in [first, second] {
                #expect(found.contains("href=\"\(path)/\(id)\""), "\(id)")
                let link = "\(path)/\(id)?bundleId=\(MadePurchase.app)"
                #expect(several.contains("href=\"\(link)\""), "\(id)")
                let page = try await client.get(link).text
                #expect(page.contains("id=\"notices\""), "\(id)")
            }
        }
    }
}
