import AppStore
import HTTPTypes
import Intake
import LedgerStore
import LedgerTestSupport
import Projection
import SQLiteStore
import Service
import Signing
import Simulator
import Testing

@testable import Web

@Suite("The environment of uploads")
struct UploadEnvironmentTests {
    private let purchase = MadePurchase()

    private var sandboxed: MadePurchase {
        var purchase = purchase
        purchase.environment = .sandbox
        return purchase
    }

    private func end(_ host: LedgerHost) async throws -> [Int64] {
        var ends: [Int64] = []
        for served in host.ledgers { ends.append(try await served.ledger.log.head().position) }
        return ends
    }

    @Test(
        "With environment=production a Sandbox purchase is a 422, whatever its key; none is written"
    )
    func demanded() async throws {
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            let path = "/v1/transactions?environment=production"
            let refused = try await client.post(path, sandboxed.uploadBody(customer: "eve"))
            #expect(refused.status == 422 && refused.code == "wrongEnvironment")
            #expect(try await end(host) == [0, 0])
            for served in host.ledgers {
                #expect(try await served.ledger.operations.quarantineCount() == 0)
            }
            let eve = try await client.get("/v1/customers/eve/entitlements?environment=sandbox")
            #expect(eve.json["standing"]?.string == "new")
            let taken = try await client.post(path, purchase.uploadBody())
            #expect(taken.status == 200 && taken.json["environment"]?.string == "Production")
            let other = try await client.post(
                "/v1/transactions?environment=sandbox", purchase.uploadBody(1))
            #expect(other.code == "wrongEnvironment")
            let test = try await client.post(
                "/v1/transactions?environment=sandbox", sandboxed.uploadBody())
            #expect(test.status == 200 && test.json["environment"]?.string == "Sandbox")
            #expect(try await end(host) == [1, 1])
            // A refusal leaves the key free, and no key lets a Sandbox purchase pass.
            var head: HTTPFields = [.contentType: "application/json"]
            head[.idempotencyKey] = "k"
            let body = try sandboxed.uploadBody()
            #expect(try await client.post(path, body, head).code == "wrongEnvironment")
            let keyed = try await client.post("/v1/transactions", body, head)
            #expect(keyed.status == 200 && keyed.json["environment"]?.string == "Sandbox")
            #expect(try await client.post(path, body, head).code == "wrongEnvironment")
            let repeated = try await client.post("/v1/transactions", body, head)
            #expect(repeated.bytes == keyed.bytes)
            #expect(try await end(host) == [1, 1])
        }
    }

    @Test(
        "A transaction that names no environment is refused, and waits for an operator to name it",
        arguments: [("", 0), ("?environment=production", 0), ("?environment=sandbox", 1)])
    func unnamed(query: String, index: Int) async throws {
        var old = purchase
        old.environment = nil
        let body = try old.uploadBody(customer: "eve")
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            let refused = try await client.post("/v1/transactions\(query)", body)
            #expect(refused.status == 422 && refused.code == "environmentMissing")
            #expect(try await end(host) == [0, 0])
            let ledger = host.ledgers[index].ledger
            #expect(try await ledger.operations.quarantineCount() == 1)
            let retried = try await Quarantine(ledger: ledger).retry(
                apps: host.configuration.apps,
                verifier: EvidenceVerifier(roots: TestAuthority.roots))
            #expect(retried.appended == 1)
            #expect(try await ledger.operations.quarantineCount() == 0)
            #expect(try await end(host) == (index == 0 ? [1, 0] : [0, 1]))
        }
    }

    @Test("An invalid environment is a 400, an unknown parameter too")
    func words() async throws {
        let cases = [
            ("environment=live", "unknownEnvironment"), ("environment=", "unknownEnvironment"),
            ("environment=prod", "unknownEnvironment"), ("bundleId=a", "unknownParameter"),
            ("environment=production&environment=production", "invalidParameter"),
        ]
        let body = try purchase.uploadBody()
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            for (query, code) in cases {
                for path in ["/v1/transactions", "/v1/receipts"] {
                    let answer = try await client.post("\(path)?\(query)", body)
                    #expect(answer.status == 400 && answer.code == code, "\(query)")
                }
                #expect(try await end(host) == [0, 0], "\(query)")
            }
        }
    }

    @Test("A receipt is answered with its environment, and refused when another one is required")
    func receipts() async throws {
        let real = MadeReceipt.body(try MadeReceipt.base64([purchase]))
        let test = MadeReceipt.body(
            try MadeReceipt.base64([sandboxed], type: .productionSandbox))
        var place = try ServedPlace()
        place.roots = MadeReceipt.roots
        try await place.serve { (client: WebClient, host: LedgerHost) async throws in
            let path = "/v1/receipts?environment=production"
            let refused = try await client.post(path, test)
            #expect(refused.status == 422 && refused.code == "wrongEnvironment")
            #expect(try await end(host) == [0, 0])
            let taken = try await client.post(path, real)
            #expect(taken.status == 200 && taken.json["environment"]?.string == "Production")
            let free = try await client.post("/v1/receipts", test)
            #expect(free.json["environment"]?.string == "Sandbox")
            #expect(try await end(host) == [1, 1])
        }
    }
}
