import AppStore
import Console
import HTTPTypes
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Service
import Signing
import Testing

@testable import Queries
@testable import Web

@Suite("One event and its proof")
struct EventDetailTests {
    private let purchase = MadePurchase()

    @Test("A notification comes with payload, parts and evidence; other positions have no event")
    func payload() async throws {
        let cases = [
            ("0", 400, "invalidPath"), ("-1", 400, "invalidPath"), ("x", 400, "invalidPath"),
            ("01", 400, "invalidPath"), ("9223372036854775808", 400, "invalidPath"),
            ("2", 404, "noSuchEvent"), ("9223372036854775807", 404, "noSuchEvent"),
            ("1?bundleId=com.example.other", 404, "noSuchEvent"),
            ("1?environment=xcode", 404, "environmentNotServed"),
            ("1?at=0", 400, "unknownParameter"),
        ]
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            _ = try await client.notify(purchase.notificationBody())
            let listed = try await client.get("/v1/events?evidence=true").json["events"]?.array
            let answer = try await client.get("/v1/events/1")
            #expect(answer.status == 200)
            #expect(answer.json["event"] == listed?.first)
            #expect(answer.json["damage"]?.isNull == true)
            let payload = try #require(answer.json["payload"])
            let event = answer.json["event"]
            #expect(payload["notificationType"] == event?["notificationType"])
            let transaction = payload["data"]?["signedTransactionInfo"]
            #expect(transaction?["originalTransactionId"]?.string == purchase.id)
            let tag = try #require(answer.headers[.eTag])
            #expect(try await client.get("/v1/events/1", [.ifNoneMatch: tag]).status == 304)
            let bare = try await host.event(at: 1, QueryScope(), withProof: false)
            #expect(bare?.proof == nil && bare?.head == 1)
            for (path, status, code) in cases {
                let answer = try await client.get("/v1/events/\(path)")
                #expect(answer.status == status && answer.code == code, "\(path)")
            }
        }
    }

    @Test("A command is decoded; every event is proven in the tree of the log")
    func proof() async throws {
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            for period in 0..<4 {
                _ = try await client.notify(purchase.notificationBody(period))
            }
            let note = try await client.send(
                .post, "/v1/customers/ann/notes", [.actor: "sara", .reason: "called"])
            #expect(note.status == 200)
            let root = try await host.ledger(.production).ledger.log.head().root
            for position: Int64 in 1...5 {
                let answer = try await client.get("/v1/events/\(position)").json
                let proof = try #require(answer["proof"])
                #expect(proof["treeSize"]?.int64 == 5 && proof["leafIndex"]?.int64 == position - 1)
                #expect(proof["root"]?.string == root.hexadecimal)
                let data = Base64.standard.decode(Array((proof["leafData"]?.string ?? "").utf8))
                let leaf = SHA256.hash([0x00] + (try #require(data)))
                #expect(proof["leafHash"]?.string == leaf.hexadecimal)
                #expect(answer["event"]?["leafHash"]?.string == leaf.hexadecimal)
                let detail = try #require(try await host.event(at: position, QueryScope()))
                let made = try #require(detail.proof)
                #expect(made.isValid)
                #expect(
                    made.path.map(\.hexadecimal)
                        == proof["path"]?.array?.compactMap(\.string))
            }
            let command = try await client.get("/v1/events/5").json["payload"]
            #expect(command?.object?.isEmpty == false)
        }
    }

    @Test("For assistants, an imported response of verifyReceipt is dated, and read by the import")
    func imported() throws {
        // given
        var event = try Sample.event("e", kind: .verifyReceipt, evidence: .verbatim([]))
        event.attributes.source = .import
        event.attributes.trust = .transport
        let row = event.row(at: 1, key: event.key, identity: nil, receivedAt: event.receivedAt)
        let detail = EventDetail(
            LoggedEvent(event: row, evidence: event.evidence.packed), in: .production, proof: nil,
            head: 1)
        // when
        let text = MCPText(origin: "", state: ViewState(environment: .production)).text(detail)
        // then
        let (read, dated) = (event.receivedAt.rfc3339, "1970-01-01T00:00:00.500Z")
        #expect(text.contains("Arrival unknown, read by an import \(read), dated \(dated)."))
        #expect(text.contains("It rests on the operator who imported it (transport)."))
    }

    @Test("A JSON text with two dots is no JWS, whatever stands between them")
    func dots() {
        let text = #"{"sweep":1,"bundleId":"com.acme.app"}"#
        let decoded = EventDetail.decoded(Array(text.utf8))
        #expect(decoded?["bundleId"]?.string == "com.acme.app")
    }
}
