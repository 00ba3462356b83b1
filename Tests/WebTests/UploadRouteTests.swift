import AppStore
import LedgerService
import LedgerStore
import Testing

@testable import Web

@Suite("Uploads")
struct UploadRouteTests {
    private let purchase = MadePurchase()

    @Test("A transaction is answered with its chain in the same request")
    func answered() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            let answer = try await client.post("/v1/transactions", purchase.uploadBody())
            #expect(answer.status == 200)
            #expect(answer.json["result"]?.string == "appended")
            #expect(answer.json["position"]?.int64 == 1)
            let subscription = answer.json["subscription"]
            #expect(subscription?["originalTransactionId"]?.string == purchase.id)
            let again = try await client.post("/v1/transactions", purchase.uploadBody())
            #expect(again.json["result"]?.string == "duplicate")
            #expect(try await client.get("/v1/events").json["position"]?.int64 == 1)
        }
    }

    @Test("The event says that a client sent it")
    func source() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            _ = try await client.post("/v1/transactions", purchase.uploadBody())
            let event = try await client.get("/v1/events").json["events"]?.array?.first
            #expect(event?["source"]?.string == "client")
            #expect(event?["kind"]?.string == "transaction")
        }
    }

    @Test("Another app's transaction is a 422, and kept")
    func otherApp() async throws {
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            var other = purchase
            other.bundleId = "com.example.other"
            let answer = try await client.post("/v1/transactions", other.uploadBody())
            #expect(answer.status == 422)
            #expect(answer.code == "wrongApp")
            let ledger = try host.ledger(.production).ledger
            #expect(try await ledger.operations.quarantineCount() == 1)
            #expect(try await ledger.log.head().position == 0)
        }
    }

    @Test(
        "What is no upload is a 400",
        arguments: [
            "", "{}", "[]", "{\"signedTransactionInfo\":1}",
            "{\"signedTransactionInfo\":\"a.b.c\",\"customer\":1}",
            "{\"signedTransactionInfo\":\"a.b.c\",\"customer\":\"\"}",
            "{\"signedTransactionInfo\":\"a.b.c\",\"signedRenewalInfo\":[]}",
            "{\"signedTransactionInfo\":\"a.b.c\"}",
        ])
    func malformed(body: String) async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            let answer = try await client.post("/v1/transactions", Array(body.utf8))
            #expect(answer.status == 400)
            #expect(answer.code != nil)
            #expect(try await client.get("/v1/events").json["position"]?.int64 == 0)
        }
    }

    @Test("A customer's name at the bound is taken, a longer one is not", arguments: [0, 1])
    func customerLength(excess: Int) async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            let name = String(
                repeating: "c", count: UploadBody.maximumCustomerByteCount + excess)
            let answer = try await client.post(
                "/v1/transactions", purchase.uploadBody(customer: name))
            #expect(answer.status == (excess == 0 ? 200 : 400))
        }
    }
}
