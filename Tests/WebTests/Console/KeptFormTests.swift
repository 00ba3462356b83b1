import AppStore
import HTTPTypes
import LedgerStore
import Projection
import Service
import Testing

@testable import Console
@testable import Web

@Suite("What is typed into forms of the console")
struct KeptFormTests {
    private static let home = "/console/production"
    private let purchase = MadePurchase()

    @Test("A note about a purchase that cannot be kept stays as it was typed, under its key")
    func note() async throws {
        let path = "\(KeptFormTests.home)/subscriptions/\(purchase.id)"
        try await ServedPlace().serve(renewed: purchase) { client, host in
            for body in ["key=k7&actor=&reason=ticket+7", "key=k7&actor=sara&reason=%01"] {
                let refused = try await client.submit("\(path)/note", body.utf8)
                #expect(refused.status == 400, "\(body)")
            }
            let long = String(repeating: "r", count: 2_001)
            let refused = try await client.submit(
                "\(path)/note", "key=k7&actor=sara&reason=\(long)".utf8)
            let page = refused.text
            #expect(refused.status == 400)
            for part in [long, "value=\"k7\"", "value=\"sara\"", "role=\"alert\""] {
                #expect(page.contains(part))
            }
            let log = try host.ledger(.production).ledger.log
            #expect(try await log.head().position == 2)
            let made = try await client.submit("\(path)/note", "key=k7&actor=sara&reason=r".utf8)
            #expect(made.headers[.location] == "\(path)?done=3")
            let unknown = try await client.submit(
                "\(KeptFormTests.home)/subscriptions/nosuch/note", "key=k8&actor=sara&reason=r".utf8
            )
            #expect(unknown.status == 404)
        }
    }

    @Test("A form that is changed and sent again under its key is refused once, then has a new key")
    func usedKey() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            for (key, path) in [("k7", "customers/ann/note"), ("k8", "quarantine/retry")] {
                func send(_ key: String, _ reason: String) async throws -> WebClient.Answer {
                    let form = "key=\(key)&actor=sara&reason=\(reason)"
                    return try await client.submit("\(KeptFormTests.home)/\(path)", form.utf8)
                }
                for _ in 0..<2 { #expect(try await send(key, "first").status == 303) }
                let refused = try await send(key, "second")
                let page = refused.text
                #expect(refused.status == 422 && page.contains("This form was already sent"))
                #expect(page.contains("second</textarea>") && !page.contains("value=\"\(key)\""))
                let start = try #require(page.firstRange(of: "name=\"key\" value=\""))
                let next = page[start.upperBound...].prefix { $0 != "\"" }
                #expect(try await send(String(next), "second").status == 303)
            }
        }
    }

    @Test("A form that was opened before an erasure is refused after it, and stays as it was typed")
    func erased() async throws {
        let path = "\(KeptFormTests.home)/customers/ann"
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            let served = try host.ledger(.production)
            for key in ["k1", "k2"] {
                let noted = try await client.submit(
                    "\(path)/note", "key=\(key)&actor=sara&reason=r&position=0".utf8)
                #expect(noted.status == 303)
            }
            _ = try await served.snapshot(atLeast: 2)
            let field = "name=\"position\" value=\"2\""
            #expect(try await client.get("\(path)/note").text.contains(field))
            let erasure = "key=one&actor=dpo&reason=request+7&\(ErasePage.confirmation)=ann"
            #expect(try await client.submit("\(path)/erase", erasure.utf8).status == 303)
            _ = try await served.snapshot(atLeast: 3)
            let body = "key=k3&actor=sara&reason=ticket+7"
            let refused = try await client.submit("\(path)/note", "\(body)&position=2".utf8)
            #expect(refused.status == 409)
            for part in ["was erased after this form was opened", "ticket 7", field] {
                #expect(refused.text.contains(part), "\(part)")
            }
            let noted = try await host.decisions(.production).refused
            #expect(noted.map(\.code) == ["erasureOvertaken"])
            let invalid = try await client.submit("\(path)/note", "\(body)&position=x".utf8)
            #expect(invalid.status == 400)
            #expect(try await host.end() == 3)
            // One that was opened afterwards is a decision about a new person.
            let opened = try await client.submit("\(path)/note", "\(body)&position=3".utf8)
            #expect(opened.status == 303)
        }
    }

    @Test("The page after a look-up waits for what Apple sent, and says so")
    func asked() async throws {
        var place = try ServedPlace()
        place.waitLimit = ServedPlace.briefWait
        let path = "\(KeptFormTests.home)/subscriptions/\(purchase.id)?did=asked&minPosition"
        try await place.serve(renewed: purchase) { client, _ in
            let included = try await client.get("\(path)=2")
            #expect(
                included.status == 200
                    && included.text.contains("Apple was asked; what it sent is included."))
            let behind = try await client.get("\(path)=3")
            #expect(behind.status == 503 && behind.headers[.refresh] != nil)
            #expect(behind.text.contains("What Apple was asked for is not included yet"))
        }
    }

    @Test("A verification of signatures stays one in a form that is shown again")
    func signatures() async throws {
        let path = "\(KeptFormTests.home)/audit/verify"
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            for (asked, isKept) in [("", false), ("&signatures=true", true)] {
                let refused = try await client.submit(
                    path, "key=k&actor=&reason=r\(asked)".utf8)
                #expect(
                    refused.status == 400
                        && refused.text.contains("value=\"true\" checked>") == isKept)
            }
        }
    }

    @Test("A reason as long as its field takes, or of several lines, is kept; the latter as one")
    func lines() async throws {
        let path = "\(KeptFormTests.home)/customers/ann"
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            let encoded = String(repeating: "%E3%81%82", count: 2_000)
            let refused = try await client.submit(
                "\(path)/note", "key=k&actor=sara&reason=\(encoded)".utf8)
            #expect(
                refused.status == 400
                    && refused.text.contains(String(repeating: "\u{3042}", count: 2_000)))
            let made = try await client.submit(
                "\(path)/note",
                "key=k&actor=sara&reason=%0D%0Aticket%097%0D%0Arefund%0Basked%0D%0A".utf8)
            #expect(made.status == 303)
            let page = try await client.get("\(path)?done=1").text
            #expect(page.contains("ticket 7 refund asked"))
        }
    }

    @Test("What is pasted with a tab into a field of an address is found")
    func pasted() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, _ in
            let found = try await client.get("\(KeptFormTests.home)/find?q=\(purchase.id)%09")
            #expect(found.status == 200 || found.headers[.location]?.hasSuffix(purchase.id) == true)
            let none = try await client.get("\(KeptFormTests.home)/find?q=two%0Awords")
            #expect(none.status == 404)
        }
    }
}
