import AppStore
import LedgerStore
import LedgerTestSupport
import Projection
import SQLiteStore
import Service
import Testing

@testable import Web

@Suite("Uploads of signed data of another kind")
struct MisnamedPartTests {
    @Test("Nothing is accepted as another kind")
    func refused() async throws {
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            for (transaction, renewal) in MisnamedParts.all {
                let body = try MisnamedParts.body(transaction, renewal)
                let answer = try await client.post("/v1/transactions", body)
                #expect(answer.status == 400, "\(transaction)")
                #expect(answer.code == "nestedPartInvalid", "\(transaction)")
                let ledger = try host.ledger(.production).ledger
                #expect(try await ledger.log.head().position == 0, "\(transaction)")
            }
        }
    }

    @Test("A transaction is accepted, alone or with its renewal info")
    func taken() async throws {
        let bodies = [
            try MisnamedParts.body("transaction", nil),
            try MisnamedParts.body("transaction", "renewal"),
        ]
        try await ServedPlace().serve { (client: WebClient, _: LedgerHost) async throws in
            for body in bodies {
                let answer = try await client.post("/v1/transactions", body)
                #expect(answer.status == 200)
                #expect(answer.json["result"]?.string == "appended")
            }
        }
    }
}
