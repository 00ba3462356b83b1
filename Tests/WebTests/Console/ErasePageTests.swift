import AppStore
import HTTPTypes
import LedgerStore
import Projection
import Service
import Testing

@testable import Console
@testable import Web

@Suite("Erasure in the console")
struct ErasePageTests {
    private static let home = "/console/production"
    private let purchase = MadePurchase()

    private static func form(_ confirm: String? = nil) -> [UInt8] {
        let typed = confirm.map { "&\(ErasePage.confirmation)=\($0)" } ?? ""
        return Array("key=one&actor=dpo&reason=request+7\(typed)".utf8)
    }

    @Test("The plan is shown first; the typed id erases, once, and leads to the erasure's event")
    func erased() async throws {
        let id = purchase.id
        let path = "\(ErasePageTests.home)/subscriptions/\(id)"
        try await ServedPlace().serve(renewed: purchase) { client, host in
            let page = try await client.get(path).text
            #expect(page.contains("\(path)/erase\""))
            #expect(try await client.get("\(path)/erase").text.contains("name=\"reason\""))
            let planned = try await client.submit("\(path)/erase", ErasePageTests.form())
            #expect(planned.status == 200)
            let plan = planned.text
            #expect(plan.contains("name=\"confirm\"") && plan.contains("Not reached"))
            #expect(plan.contains("events/1\"") && plan.contains("events/2\""))
            #expect(plan.contains("value=\"request 7\"") && plan.contains("value=\"one\""))
            #expect(try await host.end() == 2)
            for _ in 0..<2 {
                let answer = try await client.submit("\(path)/erase", ErasePageTests.form(id))
                #expect(
                    answer.status == 303
                        && answer.headers[.location] == "\(ErasePageTests.home)/events/3")
            }
            #expect(try await host.end() == 3)
            // Without a plan, as after an interruption, the form finishes what it began.
            let rest = try await client.submit("\(path)/erase", ErasePageTests.form())
            #expect(rest.status == 404 && rest.text.contains("name=\"confirm\""))
            #expect(rest.text.contains("value=\"request 7\""))
            let event = try await client.get("\(ErasePageTests.home)/events/3").text
            for text in ["the evidence of 2 events", "By dpo: request 7", "events/1\""] {
                #expect(event.contains(text), "\(text)")
            }
            #expect(!event.contains(id))
            let tombstone = try await client.get("\(ErasePageTests.home)/events/1").text
            #expect(tombstone.contains("The evidence was erased"))
            #expect(tombstone.contains("were erased, so that only their hashes can be checked"))
            #expect(!tombstone.contains("about the bytes of this event"))
            #expect(!tombstone.contains("data-leaf=") && tombstone.contains("data-leaf-hash="))
            _ = try await host.ledger(.production).snapshot(atLeast: 3, limit: .seconds(120))
            let gone = try await client.get(path)
            #expect(gone.status == 404 && gone.text.contains("Nothing has been received about"))
        }
    }

    @Test("Who is known only from quarantine is erased, by console and over HTTP")
    func quarantined() async throws {
        try await ServedPlace().serve(renewed: purchase) {
            (client: WebClient, host: LedgerHost) async throws in
            let operations = try host.ledger(.production).ledger.operations
            for id in ["800000000000001", "800000000000002"] {
                _ = try await operations.quarantine(
                    NewQuarantineItem(
                        receivedAt: ServedPlace.now, standing: .unverifiable,
                        code: "malformedJWS", message: "It is none.",
                        bytes: Array(#"{"originalTransactionId":"\#(id)"}"#.utf8), input: "made"))
            }
            // Over HTTP.
            let dry = try await client.erase(chains: ["800000000000001"], dryRun: true)
            #expect(dry.status == 200 && dry.json["plan"]?["quarantined"]?.int64 == 1)
            #expect(dry.json["plan"]?["positions"]?.array == [])
            #expect(try await operations.quarantineCount() == 2)
            let erased = try await client.erase(chains: ["800000000000001"])
            #expect(erased.status == 200)
            #expect(erased.json["erasure"]?["plan"]?["quarantined"]?.int64 == 1)
            #expect(erased.json["erasure"]?["position"]?.int64 == 3)
            #expect(try await operations.quarantineCount() == 1)
            // In the console.
            let id = "800000000000002"
            let path = "\(ErasePageTests.home)/subscriptions/\(id)/erase"
            let planned = try await client.submit(path, ErasePageTests.form())
            #expect(planned.status == 200, "\(planned.text)")
            #expect(planned.text.contains("Quarantined inputs"))
            let answer = try await client.submit(path, ErasePageTests.form(id))
            #expect(answer.headers[.location] == "\(ErasePageTests.home)/events/4")
            #expect(try await operations.quarantineCount() == 0)
            let event = try await client.get("\(ErasePageTests.home)/events/4").text
            #expect(event.contains("inputs in quarantine") && !event.contains(id))
        }
    }

    @Test("A customer's page leads to the same, for every purchase of the customer")
    func customer() async throws {
        var purchase = purchase
        purchase.appAccountToken = "0AB11111-2222-4333-8444-555555555555"
        let id = "0ab11111-2222-4333-8444-555555555555"
        let path = "\(ErasePageTests.home)/customers/\(id)"
        try await ServedPlace().serve(renewed: purchase) { client, host in
            let page = try await client.get(path).text
            #expect(page.contains("\(path)/erase\""))
            let answer = try await client.submit(
                "\(path)/erase", ErasePageTests.form(id.uppercased()))
            #expect(answer.headers[.location] == "\(ErasePageTests.home)/events/3")
            #expect(try await host.end() == 3)
        }
    }

    @Test("An id with a space or an invisible character is confirmed as it is, or as it is shown")
    func invisible() async throws {
        // The customer as in an address, what is typed wrongly and rightly, and what is shown.
        let cases = [
            ("sp%20", "sp", "sp+", "sp "), ("a%E2%80%8Db", "ab", "a%E2%80%8Db", "a\\u200Db"),
            ("c%E2%80%8Dd", "cd", "c%5Cu200Dd", "c\\u200Dd"),
        ]
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            for (index, (customer, mistyped, typed, shown)) in cases.enumerated() {
                let path = "\(ErasePageTests.home)/customers/\(customer)"
                let noted = try await client.submit(
                    "\(path)/note", "key=n\(index)&actor=sara&reason=r".utf8)
                #expect(noted.status == 303)
                let end = try await host.end()
                _ = try await host.ledger(.production).snapshot(
                    atLeast: end, limit: .seconds(120))
                let form = "key=e\(index)&actor=dpo&reason=x%E2%80%8Dy"
                let planned = try await client.submit("\(path)/erase", form.utf8)
                #expect(planned.text.contains("name=\"reason\" value=\"x\u{200D}y\""))
                #expect(planned.text.contains("Type \(shown) to confirm"))
                let wrong = try await client.submit(
                    "\(path)/erase", "\(form)&\(ErasePage.confirmation)=\(mistyped)".utf8)
                #expect(wrong.status == 400 && wrong.text.contains("This is not the id"))
                let erased = try await client.submit(
                    "\(path)/erase", "\(form)&\(ErasePage.confirmation)=\(typed)".utf8)
                let event = "\(ErasePageTests.home)/events/\(end + 1)"
                #expect(erased.headers[.location] == event)
            }
        }
    }

    @Test("A wrong id, an unknown one and an incomplete form erase nothing")
    func refused() async throws {
        let id = purchase.id
        let path = "\(ErasePageTests.home)/subscriptions/\(id)/erase"
        try await ServedPlace().serve(renewed: purchase) { client, host in
            for wrong in ["", "5", "\(id)0"] {
                let answer = try await client.submit(path, ErasePageTests.form(wrong))
                #expect(answer.status == 400)
                let text = answer.text
                #expect(text.contains("This is not the id") && text.contains("name=\"confirm\""))
                #expect(!text.contains("value=\"\(id)0\""))
            }
            let unknown = try await client.submit(
                "\(ErasePageTests.home)/customers/ann/erase", ErasePageTests.form())
            #expect(unknown.status == 404 && unknown.text.contains("request 7"))
            for body in ["key=k&actor=a", "key=k&reason=r", "actor=a&reason=r"] {
                let answer = try await client.submit(path, "\(body)&confirm=\(id)".utf8)
                #expect(answer.status == 400, "\(body)")
            }
            let past = try await client.submit("\(path)?knownPosition=1", ErasePageTests.form(id))
            #expect(past.status == 400)
            var foreign = WebClient.formFields()
            foreign[.fetchSite] = "cross-site"
            let sent = try await client.send(.post, path, foreign, ErasePageTests.form(id))
            #expect(sent.status == 403)
            #expect(try await host.end() == 2)
        }
    }

    @Test("Only an admin who may see people is offered it, and may do it, not in another's name")
    func scopes() async throws {
        let viewers: [(name: String, scopes: [Scope], isOffered: Bool)] = [
            ("ann", [.read, .admin], true), ("bob", [.read, .write], false),
            ("eve", [.support], false), ("sara", [.support, .admin], true),
        ]
        let path = "\(ErasePageTests.home)/subscriptions/\(purchase.id)"
        var place = try ServedPlace()
        place.configuration.server.tokens = viewers.map { .init($0.name, $0.scopes) }
        let id = purchase.id
        try await place.serve(renewed: purchase) { client, host in
            for (name, _, isOffered) in viewers {
                let session = try await ConsoleAccessTests.signIn(client, name)
                let cookie: HTTPFields = [.cookie: try #require(session)]
                let page = try await client.get(path, cookie)
                #expect(page.text.contains("/erase\"") == isOffered, "\(name)")
                let form = try await client.get("\(path)/erase", cookie)
                #expect(form.status == (isOffered ? 200 : 403), "\(name)")
            }
            let session = try await ConsoleAccessTests.signIn(client, "ann")
            let cookie: HTTPFields = [.cookie: try #require(session)]
            let plan = try await client.submit("\(path)/erase", ErasePageTests.form(), cookie)
            #expect(plan.text.contains("name=\"confirm\""))
            #expect(plan.text.contains("name=\"author\" value=\"ann\""))
            let foreign = ErasePageTests.form(id) + Array("&author=zoe".utf8)
            let refused = try await client.submit("\(path)/erase", foreign, cookie)
            #expect(refused.status == 400 && refused.text.contains("This form was opened as zoe"))
            #expect(try await host.end() == 2)
        }
    }

    @Test("A draft never holds the typed id")
    func drafts() {
        let drafts = FormDrafts()
        let kept = drafts.keep(["reason": "request 7", ErasePage.confirmation: "5"], from: "a")
        #expect(drafts.values(of: kept) == ["reason": "request 7"])
    }
}
