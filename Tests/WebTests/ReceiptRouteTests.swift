import AppStore
import HTTPTypes
import HummingbirdTesting
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import SQLiteStore
import Service
import Signing
import Simulator
import Testing

@testable import Web

@Suite("Receipts over HTTP")
struct ReceiptRouteTests {
    private let purchase = MadePurchase()

    private func serve(
        _ body: @escaping @Sendable (WebClient, LedgerHost) async throws -> Void
    ) async throws {
        var place = try ServedPlace()
        place.roots = MadeReceipt.roots
        try await place.serve(.router, body)
    }

    @Test("An invalid receipt is a 400, and nothing is in the log")
    func nothing() async throws {
        let cases = [
            ("", "malformedJSON"), ("{}", "invalidBody"), ("{\"receipt\":1}", "invalidBody"),
            ("{\"receipt\":\"\"}", "malformedReceipt"), ("{\"receipt\":\"!\"}", "malformedReceipt"),
            ("{\"receipt\":\"MIIB\"}", "malformedReceipt"),
            ("{\"receipt\":\"MIIB\",\"customer\":1}", "invalidBody"),
            ("{\"receipt\":\"MIIB\",\"customer\":\"\"}", "invalidCustomer"),
        ]
        try await serve { client, host in
            for (text, code) in cases {
                let answer = try await client.post("/v1/receipts", Array(text.utf8))
                #expect(answer.status == 400 && answer.code == code, "\(text)")
                #expect(
                    try await host.end() == 0, "\(text)")
            }
        }
    }

    @Test("A receipt under an untrusted root is refused, another app's is stored")
    func refused() async throws {
        let foreign = try MadeReceipt.base64([purchase])
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            let answer = try await client.post("/v1/receipts", MadeReceipt.body(foreign))
            #expect(answer.status == 400 && answer.code == "untrustedRoot")
        }
        let other = try MadeReceipt.base64([purchase], bundleId: "com.example.other")
        try await serve { client, host in
            let answer = try await client.post("/v1/receipts", MadeReceipt.body(other))
            #expect(answer.status == 422 && answer.code == "wrongApp")
            let ledger = try host.ledger(.production).ledger
            #expect(try await ledger.operations.quarantineCount() == 1)
        }
    }

    @Test("One byte over the limit is a 413")
    func bound() async throws {
        let body = MadeReceipt.body(try MadeReceipt.base64([purchase]))
        try await serve { client, _ in
            for excess in [1, 0] {
                let room = ReceiptBody.maximumByteCount + excess - body.count
                let sent = body + [UInt8](repeating: UInt8(ascii: " "), count: room)
                let answer = try await client.post("/v1/receipts", sent)
                #expect(answer.status == (excess == 0 ? 200 : 413), "\(excess)")
            }
        }
    }

    @Test("Without an API key: verified, durable, and answered with what it states")
    func answered() async throws {
        let body = MadeReceipt.body(try MadeReceipt.base64([purchase]), customer: "user-42")
        let id = purchase.id
        try await serve { client, _ in
            let answer = try await client.post("/v1/receipts", body)
            #expect(answer.status == 200 && answer.json["result"]?.string == "appended")
            #expect(answer.json["eventPosition"]?.int64 == 1)
            #expect(answer.json["asked"]?.isNull == true)
            #expect(answer.json["claims"]?.array?.first?["claim"]?.string == "moved")
            let chain = answer.json["subscriptions"]?.array?.first
            #expect(chain?["originalTransactionId"]?.string == id)
            #expect(chain?["trust"]?.string == "signed")
            // A receipt contains no renewal infos.
            #expect(chain?["willRenew"]?.isNull == true)
            #expect(answer.json["customer"]?.string == "user-42")
            #expect(answer.json["entitlements"]?.array?.count == 1)
            let again = try await client.post("/v1/receipts", body)
            #expect(again.json["result"]?.string == "duplicate")
            #expect(again.json["claims"]?.array?.first?["claim"]?.string == "held")
            let events = try await client.get("/v1/events?evidence=true").json["events"]?.array
            #expect(events?.first?["kind"]?.string == "receipt")
            #expect(events?.first?["signedPayload"]?.string?.hasPrefix("MI") == true)
        }
    }

    @Test("Without purchases it is still an event, and grants nothing")
    func withoutPurchases() async throws {
        let contents = ReceiptContents(
            type: .production, bundleId: MadePurchase.app, creationDate: purchase.start,
            purchases: [])
        let receipt = String(
            decoding: Base64.standard.encode(try TestAuthority.receipts.sign(contents)),
            as: UTF8.self
        )
        try await serve { client, _ in
            let answer = try await client.post(
                "/v1/receipts", MadeReceipt.body(receipt, customer: "user-42"))
            #expect(answer.status == 200 && answer.json["eventPosition"]?.int64 == 1)
            for list in ["subscriptions", "withoutState", "claims", "entitlements"] {
                #expect(answer.json[list]?.array?.isEmpty == true, "\(list)")
            }
            #expect(answer.json["standing"]?.string == "new")
        }
    }

    @Test("Several chains of one receipt are all returned, claimed and emitted as changes")
    func several() async throws {
        var other = purchase
        other.id = "600000000000001"
        let ids = [purchase.id, other.id]
        let body = MadeReceipt.body(
            try MadeReceipt.base64([purchase, other]), customer: "user-42")
        try await serve { client, _ in
            let answer = try await client.post("/v1/receipts", body)
            let chains = answer.json["subscriptions"]?.array ?? []
            #expect(chains.compactMap { $0["originalTransactionId"]?.string } == ids)
            #expect(answer.json["claims"]?.array?.count == 2)
            for id in ids {
                let shown = try await client.get("/v1/subscriptions/\(id)")
                #expect(shown.status == 200)
                let events = try await client.get("/v1/subscriptions/\(id)/events")
                #expect(events.json["events"]?.array?.first?["kind"]?.string == "receipt")
            }
            let page = try await client.get("/console/production/events/1").text
            #expect(page.contains("<dt>Subscriptions</dt>"))
            for id in ids { #expect(page.contains("<bdi>\(id)</bdi></a>: "), "\(id)") }
        }
    }

    @Test("A refused body leaves its key free; an accepted one keeps it, and its answer is current")
    func refusedKey() async throws {
        let good = MadeReceipt.body(try MadeReceipt.base64([purchase]))
        let wrong = MadeReceipt.body(
            try MadeReceipt.base64([purchase], bundleId: "com.example.other"))
        try await serve { client, _ in
            let key: HTTPFields = [.idempotencyKey: "k2", .contentType: "application/json"]
            #expect(try await client.post("/v1/receipts", wrong, key).code == "wrongApp")
            let answer = try await client.post("/v1/receipts", good, key)
            #expect(answer.status == 200)
            // The key belongs to the body that was accepted now.
            let reused = try await client.post("/v1/receipts", wrong, key)
            #expect(reused.status == 422 && reused.code == "idempotencyKeyReused")
            let again = try await client.post("/v1/receipts", good, key)
            #expect(again.status == 200 && again.json["result"]?.string == "duplicate")
        }
    }

    @Test(
        "A copied receipt takes nothing from another customer; share adds the new one",
        arguments: [(ClaimPolicy.transfer, "refused"), (.share, "added")])
    func copied(policy: ClaimPolicy, outcome: String) async throws {
        let receipt = try MadeReceipt.base64([purchase])
        var place = try ServedPlace()
        place.roots = MadeReceipt.roots
        place.configuration.claimPolicy = policy
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            let mine = try await client.post(
                "/v1/receipts", MadeReceipt.body(receipt, customer: "payer"))
            #expect(mine.json["claims"]?.array?.first?["claim"]?.string == "moved")
            let theirs = try await client.post(
                "/v1/receipts", MadeReceipt.body(receipt, customer: "copier"))
            #expect(theirs.json["claims"]?.array?.first?["claim"]?.string == outcome)
            let held = try await client.get("/v1/customers/payer/entitlements")
            #expect(held.json["entitlements"]?.array?.count == 1)
        }
    }

    @Test("Chains are returned up to the limit, most recent purchases first; the rest is counted")
    func manyChains() async throws {
        let count = ReceiptBody.answeredChainCount
        let purchases = (0...count).map { number in
            var made = purchase
            made.id = "\(600_000_000_000_000 + number)"
            made.start = purchase.start.advanced(byMilliseconds: Int64(number) * 60_000)
            return made
        }
        let all = MadeReceipt.body(
            try MadeReceipt.base64(purchases, periods: 1), customer: "user-42")
        let fitting = MadeReceipt.body(
            try MadeReceipt.base64(Array(purchases.dropLast()), periods: 1))
        try await serve { client, _ in
            for (body, last, excess) in [
                (fitting, purchases[count - 1], 0), (all, purchases[count], 1),
            ] {
                let answer = try await client.post("/v1/receipts", body)
                #expect(answer.json["chainsOmitted"]?.int64 == Int64(excess))
                let reported = answer.json["subscriptions"]?.array ?? []
                #expect(reported.count == count)
                #expect(reported.first?["originalTransactionId"]?.string == last.id)
                #expect(answer.json["claims"]?.array?.count == count * excess)
            }
        }
    }

    @Test("A purchase of unknown type has no state, and the response says what to do")
    func untyped() async throws {
        let start = purchase.start
        let contents = ReceiptContents(
            type: .production, bundleId: MadePurchase.app,
            creationDate: start.advanced(byMilliseconds: 60_000),
            purchases: [
                [
                    .text(1702, "com.example.unlisted"), .text(1703, "700000000000001"),
                    .text(1705, "700000000000001"), .date(1704, start), .date(1706, start),
                ]
            ])
        let receipt = String(
            decoding: Base64.standard.encode(try TestAuthority.receipts.sign(contents)),
            as: UTF8.self
        )
        try await serve { client, _ in
            let answer = try await client.post("/v1/receipts", MadeReceipt.body(receipt))
            #expect(answer.json["subscriptions"]?.array?.isEmpty == true)
            let entry = answer.json["withoutState"]?.array?.first
            #expect(entry?["originalTransactionId"]?.string == "700000000000001")
            #expect(entry?["message"]?.string?.contains("com.example.unlisted") == true)
            let shown = try await client.get("/v1/subscriptions/700000000000001")
            #expect(shown.status == 404 && shown.code == "noSuchSubscription")
            #expect(shown.json["detail"]?.string?.contains("list it under products") == true)
            let never = try await client.get("/v1/subscriptions/700000000000009")
            #expect(never.json["detail"]?.string?.contains("list it under products") == false)
        }
    }
}
