import AppStore
import Faults
import HTTPTypes
import Intake
import Ledger
import LedgerStore
import Projection
import SQLiteStore
import Service
import Testing

@testable import Web

@Suite("Uploads")
struct UploadRouteTests {
    private let purchase = MadePurchase()

    @Test("A transaction is answered with its chain; the event records that a client sent it")
    func answered() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            let answer = try await client.post("/v1/transactions", purchase.uploadBody())
            #expect(answer.status == 200 && answer.json["result"]?.string == "appended")
            #expect(answer.json["environment"]?.string == "Production")
            #expect(answer.json["position"]?.int64 == 1)
            let subscription = answer.json["subscription"]
            #expect(subscription?["originalTransactionId"]?.string == purchase.id)
            let again = try await client.post("/v1/transactions", purchase.uploadBody())
            #expect(again.json["result"]?.string == "duplicate")
            let events = try await client.get("/v1/events").json
            #expect(events["position"]?.int64 == 1)
            let event = events["events"]?.array?.first
            #expect(event?["source"]?.string == "client")
            #expect(event?["kind"]?.string == "transaction")
        }
    }

    @Test("An invalid upload is a 400")
    func malformed() async throws {
        let cases = [
            ("", "malformedJSON"), ("{", "malformedJSON"), ("{}", "invalidBody"),
            ("[]", "invalidBody"), ("{\"signedTransactionInfo\":1}", "invalidBody"),
            ("{\"signedTransactionInfo\":null}", "invalidBody"),
            ("{\"signedTransactionInfo\":\"a.b.c\",\"customer\":1}", "invalidBody"),
            ("{\"signedTransactionInfo\":\"a.b.c\",\"customer\":\"\"}", "invalidCustomer"),
            (
                "{\"signedTransactionInfo\":\"a.b.c\",\"customer\":\"\(UploadRouteTests.erased)\"}",
                "invalidCustomer"
            ),
            (
                "{\"signedTransactionInfo\":\"a.b.c\",\"signedRenewalInfo\":[]}",
                "invalidBody"
            ), ("{\"signedTransactionInfo\":\"\"}", "malformedJWS"),
            ("{\"signedTransactionInfo\":\"a.b.c\"}", "malformedJWS"),
        ]
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            for (body, code) in cases {
                let answer = try await client.post("/v1/transactions", Array(body.utf8))
                #expect(answer.status == 400 && answer.code == code, "\(body)")
            }
            #expect(try await position(client) == 0)
        }
    }

    private static let erased = "erased-" + String(repeating: "0", count: 32)

    // MARK: Customers

    private func active(_ answer: WebClient.Answer) -> [String] {
        (answer.json["entitlements"]?.array ?? []).filter { $0["active"]?.bool == true }
            .compactMap { $0["entitlement"]?.string }
    }

    private func position(_ client: WebClient) async throws -> Int64? {
        try await client.get("/v1/events").json["position"]?.int64
    }

    @Test("The response shows what the token's customer has; without a token there is no customer")
    func token() async throws {
        var purchase = purchase
        purchase.appAccountToken = "F3A86F0D-52BE-4C53-8F0E-7D9B1C44D033"
        let bought = purchase
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            let answer = try await client.post("/v1/transactions", bought.uploadBody(2))
            #expect(answer.json["customer"]?.string == bought.appAccountToken?.lowercased())
            #expect(answer.json["standing"]?.string == "active")
            #expect(active(answer) == ["com.example.pro.monthly"])
            #expect(answer.json["claim"]?.isNull == true)
            var other = bought
            other.id = "500000000000002"
            other.appAccountToken = nil
            let unknownCustomer = try await client.post("/v1/transactions", other.uploadBody())
            #expect(unknownCustomer.json["customer"]?.isNull == true)
            #expect(unknownCustomer.json["standing"]?.isNull == true)
            #expect(unknownCustomer.json["entitlements"]?.array?.isEmpty == true)
            #expect(
                unknownCustomer.json["subscription"]?["originalTransactionId"]?.string == other.id)
            #expect(try await position(client) == 2)
        }
    }

    @Test(
        "The uploader of a chain without a customer gets it; the next claim follows the policy",
        arguments: [
            (ClaimPolicy.keep, "refused", ["ann"]), (.share, "added", ["ann", "eve"]),
            (.transfer, "moved", ["eve"]),
        ])
    func claims(policy: ClaimPolicy, outcome: String, holders: [String]) async throws {
        var place = try ServedPlace()
        place.configuration.claimPolicy = policy
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            let first = try await client.post(
                "/v1/transactions", purchase.uploadBody(2, customer: "ann"))
            #expect(first.json["claim"]?.string == "moved")
            #expect(first.json["customer"]?.string == "ann")
            #expect(active(first) == ["com.example.pro.monthly"])
            #expect(try await position(client) == 2)
            let again = try await client.post(
                "/v1/transactions", purchase.uploadBody(2, customer: "ann"))
            #expect(again.json["claim"]?.string == "held")
            #expect(try await position(client) == 2)
            let other = try await client.post(
                "/v1/transactions", purchase.uploadBody(2, customer: "eve"))
            #expect(other.status == 200 && other.json["claim"]?.string == outcome)
            #expect(active(other).isEmpty == (outcome == "refused"))
            let end = try #require(try await position(client))
            #expect(end == (outcome == "refused" ? 2 : 3))
            for customer in ["ann", "eve"] {
                let answer = try await client.ask(
                    "/v1/customers/\(customer)/entitlements?minPosition=\(end)")
                #expect(active(answer).isEmpty == !holders.contains(customer))
            }
        }
    }

    @Test("A copied transaction takes nothing from the token's customer, in any letter case")
    func copied() async throws {
        var purchase = purchase
        purchase.appAccountToken = "f3a86f0d-52be-4c53-8f0e-7d9b1c44d033"
        let bought = purchase
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            let answer = try await client.post(
                "/v1/transactions", bought.uploadBody(2, customer: "eve"))
            #expect(answer.json["claim"]?.string == "refused")
            #expect(answer.json["standing"]?.string == "new")
            let own = try await client.post(
                "/v1/transactions",
                bought.uploadBody(2, customer: bought.appAccountToken?.uppercased()))
            #expect(own.json["claim"]?.string == "held")
            #expect(active(own) == ["com.example.pro.monthly"])
            #expect(try await position(client) == 1)
        }
    }

    @Test("After an erasure the same customer claims what Apple renews, in every later life")
    func claimsAgain() async throws {
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            for life in 0..<3 {
                var renewal = purchase.transaction(2)
                renewal.signedDate = renewal.signedDate?.advanced(byMilliseconds: Int64(life))
                let body = try MadePurchase.upload(renewal, customer: "ann")
                let answer = try await client.post("/v1/transactions", body)
                #expect(answer.json["claim"]?.string == "moved", "\(life)")
                #expect(active(answer) == ["com.example.pro.monthly"], "\(life)")
                let end = try await host.end()
                let again = try await client.post("/v1/transactions", body)
                #expect(again.json["claim"]?.string == "held", "\(life)")
                #expect(try await host.end() == end)
                #expect(try await client.erase(customer: "ann").status == 200)
                _ = try await host.ledger(.production).snapshot(
                    atLeast: end + 1, limit: .seconds(120))
            }
        }
    }

    @Test("A claim that an operator undid stays undone under every token, and adds no event")
    func undone() async throws {
        var place = try ServedPlace()
        place.configuration.server.tokens = ["old", "new"].map { .init($0, [.read, .write]) }
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let body = try purchase.uploadBody(2, customer: "ann")
            func upload(_ token: String) async throws -> WebClient.Answer {
                try await client.post(
                    "/v1/transactions", body,
                    [.contentType: "application/json", .authorization: "Bearer \(token)"])
            }
            #expect(try await upload("old").json["claim"]?.string == "moved")
            _ = try await host.ledger(.production).snapshot(
                atLeast: try await host.end(), limit: .seconds(120))
            var fields = HTTPFields.decision()
            fields[.authorization] = "Bearer old"
            let path = "/v1/customers/ann/subscriptions/\(purchase.id)"
            #expect(try await client.send(.delete, path, fields).status == 200)
            let end = try await host.end()
            for token in ["new", "old"] {
                let answer = try await upload(token)
                #expect(answer.status == 200, "\(token)")
                #expect(answer.json["claim"]?.string == "refused", "\(token)")
            }
            #expect(try await host.end() == end)
        }
    }

    // MARK: Keys

    private func head(_ key: String) -> HTTPFields {
        [.contentType: "application/json", .idempotencyKey: key]
    }

    @Test("The same upload under the same key gets the same response, whatever happened since")
    func repeated() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            let body = try purchase.uploadBody(1, customer: "ann")
            let first = try await client.post("/v1/transactions", body, head("k"))
            #expect(first.status == 200 && first.json["result"]?.string == "appended")
            #expect(first.headers[.idempotencyReplayed] == nil)
            _ = try await client.post(
                "/v1/transactions", purchase.uploadBody(2, customer: "eve"))
            let end = try await position(client)
            let again = try await client.post("/v1/transactions", body, head("k"))
            #expect(again.bytes == first.bytes)
            #expect(again.headers[.idempotencyReplayed] == "true")
            #expect(try await position(client) == end)
            let anew = try await client.post("/v1/transactions", body)
            #expect(anew.json["result"]?.string == "duplicate")
        }
    }

    @Test("Another upload under a used key is a 422 without effect; a refused one frees its key")
    func reused() async throws {
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            var other = purchase
            other.bundleId = "com.example.other"
            let foreign = try await client.post(
                "/v1/transactions", other.uploadBody(), head("k"))
            #expect(foreign.status == 422 && foreign.code == "wrongApp")
            let ledger = try host.ledger(.production).ledger
            #expect(try await ledger.operations.quarantineCount() == 1)
            let pseudonym = try await client.post(
                "/v1/transactions", purchase.uploadBody(customer: UploadRouteTests.erased),
                head("k"))
            #expect(pseudonym.code == "invalidCustomer")
            #expect(try await position(client) == 0)
            let first = try await client.post(
                "/v1/transactions", purchase.uploadBody(0), head("k"))
            #expect(first.status == 200)
            let answer = try await client.post(
                "/v1/transactions", purchase.uploadBody(1), head("k"))
            #expect(answer.status == 422 && answer.code == "idempotencyKeyReused")
            #expect(try await position(client) == 1)
        }
    }

    @Test(
        "Concurrent uploads under one key: one event, one response, all but one marked as replayed")
    func together() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            let body = try purchase.uploadBody(1, customer: "ann")
            let answers = try await withThrowingTaskGroup(of: WebClient.Answer.self) { group in
                for _ in 0..<6 {
                    group.addTask { try await client.post("/v1/transactions", body, head("k")) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 200 })
            #expect(Set(answers.map(\.bytes)).count == 1)
            #expect(answers.count { $0.headers[.idempotencyReplayed] == nil } == 1)
            #expect(answers.first?.json["result"]?.string == "appended")
            // The transaction, and the claim.
            #expect(try await position(client) == 2)
        }
    }

    @Test("A repetition while the log is locked leaves the key to its request")
    func repeatedWhileLocked() async throws {
        let place = try ServedPlace()
        let path = place.directory(of: .production) + "/log.sqlite"
        try await place.serve { (client: WebClient, _: LedgerHost) async throws in
            let body = try purchase.uploadBody(0)
            let first = try await client.post("/v1/transactions", body, head("k"))
            let holder = try LockHolder(path: path)
            _ = try await client.post("/v1/transactions", body, head("k"))
            await holder.release()
            let other = try await client.post(
                "/v1/transactions", purchase.uploadBody(1), head("k"))
            #expect(other.code == "idempotencyKeyReused")
            let again = try await client.post("/v1/transactions", body, head("k"))
            #expect(again.bytes == first.bytes)
            #expect(again.headers[.idempotencyReplayed] == "true")
        }
    }

    @Test("A key and a customer id at their length limits are accepted, longer ones are refused")
    func lengths() async throws {
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            // The refused ones first, which change nothing.
            for excess in [1, 0] {
                let key = String(repeating: "k", count: CommandLimits.idByteCount + excess)
                let keyed = try await client.post(
                    "/v1/transactions", purchase.uploadBody(), head(key))
                #expect(
                    keyed.status == (excess == 0 ? 200 : 400)
                        && keyed.code == (excess == 0 ? nil : "invalidIdempotencyKey"))
                let name = String(
                    repeating: "c", count: CommandLimits.customerByteCount + excess)
                let named = try await client.post(
                    "/v1/transactions", purchase.uploadBody(customer: name))
                #expect(named.status == (excess == 0 ? 200 : 400))
                // The transaction, and the claim.
                #expect(try await position(client) == (excess == 0 ? 2 : 0))
            }
        }
    }
}
