import AppStore
import HTTPTypes
import LedgerStore
import Projection
import SQLiteStore
import Service
import Testing

@testable import Web

@Suite("Forms of the console that are refused")
struct RefusedFormTests {
    @Test("A form that cannot be decided now stays as it was typed, and decides once afterwards")
    func kept() async throws {
        let path = "/console/production/customers/ann/note"
        let faults = RefusedCommits()
        try await LogFaults.$commits.withValue(faults) {
            try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
                let body = Array("key=k7&actor=sara&reason=ticket+7".utf8)
                let log = try host.ledger(.production).ledger.log
                faults.refuse(true)
                let refused = try await client.submit(path, body)
                let text = refused.text
                #expect(refused.status == 503)
                for part in ["ticket 7", "value=\"k7\"", "role=\"alert\""] {
                    #expect(text.contains(part), "\(part)")
                }
                #expect(try await log.head().position == 0)
                faults.refuse(false)
                for _ in 0..<2 {
                    let decided = try await client.submit(path, body)
                    #expect(decided.status == 303)
                }
                #expect(try await log.head().position == 1)
            }
        }
    }

    @Test("A form that another person opened decides nothing, and is shown again with its text")
    func otherAuthor() async throws {
        let place = try ConsoleAccessTests().place([.support, .write])
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let cookie: HTTPFields = [
                .cookie: try #require(try await ConsoleAccessTests.signIn(client))
            ]
            let path = "/console/production/customers/ann/note"
            let form = try await client.get(path, cookie).text
            #expect(form.contains("name=\"author\" value=\"sara\""))
            let refused = try await client.submit(
                path, "key=k&author=eve&reason=ticket+7".utf8, cookie)
            #expect(refused.status == 400 && refused.text.contains("This form was opened as eve"))
            #expect(refused.text.contains("ticket 7"))
            #expect(refused.text.contains("name=\"author\" value=\"sara\""))
            #expect(try await host.end() == 0)
            let decided = try await client.submit(
                path, "key=k&author=sara&reason=ticket+7".utf8, cookie)
            #expect(decided.status == 303)
        }
    }

    @Test(
        "The act of a session without the scope is among the refused attempts, if it was complete")
    func lackingScope() async throws {
        let place = try ConsoleAccessTests().place([.support])
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let cookie: HTTPFields = [
                .cookie: try #require(try await ConsoleAccessTests.signIn(client))
            ]
            let home = "/console/production"
            for body in ["key=k&actor=eve&reason=ticket+7", "key=k"] {
                let refused = try await client.submit(
                    "\(home)/customers/ann/note", body.utf8, cookie)
                #expect(refused.status == 403 && refused.text.contains("insufficientScope"))
            }
            let refused = try await host.decisions(.production).refused
            // The actor is the token's name, never a field of the form.
            #expect(refused.map(\.actor) == ["sara"] && refused.map(\.reason) == ["ticket 7"])
            #expect(refused.map(\.code) == ["insufficientScope"])
            let page = try await client.get("\(home)/decisions", cookie).text
            #expect(page.contains("refused: insufficientScope"))
            #expect(try await host.end() == 0)
        }
    }
}
