import AppStore
import HTTPTypes
import LedgerStore
import Projection
import SQLiteStore
import Service
import Testing

@testable import Web

@Suite("Notes")
struct NoteRouteTests {
    private let purchase = MadePurchase()

    @Test(
        "A note about a customer is in their timeline, with author and reason, and grants nothing")
    func customer() async throws {
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            let answer = try await client.send(.post, "/v1/customers/ann/notes", .decision())
            #expect(answer.status == 200)
            #expect(try await host.end() == 1)
            let decision = answer.json["decision"]
            #expect(decision?["command"]?.string == "note")
            #expect(decision?["customer"]?.string == "ann")
            #expect(decision?["reason"]?.string == "ticket 7")
            #expect(answer.json["customer"]?.string == "ann")
            #expect(answer.json["standing"]?.string == "new")
            let timeline = try await client.ask("/v1/customers/ann/timeline?minPosition=1")
            let entry = timeline.json["entries"]?.array?.first
            #expect(entry?["fact"]?.string == "noted")
            #expect(entry?["cause"]?["command"]?["actor"]?.string == "sara")
        }
    }

    @Test(
        "A note about a subscription, by any of its ids, is in its timeline, and repeated as it was"
    )
    func subscription() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, host in
            let path = "/v1/subscriptions/\(purchase.transactionId(1))/notes"
            let answer = try await client.send(.post, path, .decision(key: "k"))
            #expect(answer.status == 200 && answer.headers[.idempotencyReplayed] == nil)
            #expect(try await host.end() == 3)
            let decision = answer.json["decision"]
            #expect(decision?["command"]?.string == "note")
            #expect(decision?["customer"]?.isNull == true)
            #expect(decision?["originalTransactionId"]?.string == purchase.id)
            let chain = answer.json["subscription"]
            #expect(chain?["originalTransactionId"]?.string == purchase.id)
            #expect(chain?["position"]?.int64 == 3)
            let timeline = try await client.ask(
                "/v1/subscriptions/\(purchase.id)/timeline?minPosition=3")
            let noted = timeline.json["entries"]?.array?.first { $0["fact"]?.string == "noted" }
            #expect(noted?["cause"]?["command"]?["reason"]?.string == "ticket 7")
            #expect(try await client.notify(purchase.notificationBody(2)).status == 200)
            let again = try await client.send(.post, path, .decision(key: "k"))
            #expect(again.bytes == answer.bytes)
            #expect(again.headers[.idempotencyReplayed] == "true")
            // With a stalled projector, too.
            let directory = try host.ledger(.production).ledger.directory
            let lock = try await ProjectorLock.held(directory: directory)
            defer { withExtendedLifetime(lock) {} }
            let later = try await client.send(.post, path, .decision())
            #expect(later.status == 200 && later.json["subscription"]?["position"]?.int64 == 5)
        }
    }

    @Test("A note without reason or subject is refused, and nothing is written")
    func refused() async throws {
        try await ServedPlace().serve(renewed: purchase) { client, host in
            let chain = "/v1/subscriptions/\(purchase.id)/notes"
            for path in ["/v1/customers/ann/notes", chain] {
                let nothing = try await client.send(.post, path, .decision(reason: nil))
                #expect(nothing.code == "invalidReason")
                let parameter = try await client.send(.post, "\(path)?at=0", .decision())
                #expect(parameter.code == "unknownParameter")
            }
            let unknown = try await client.send(.post, "/v1/subscriptions/1/notes", .decision())
            #expect(unknown.status == 404 && unknown.code == "noSuchSubscription")
            #expect(try await client.send(.get, chain).status == 405)
            #expect(try await host.end() == 2)
        }
    }
}
