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
    @Test("Nothing is accepted as another kind; a transaction is, alone or with its renewal info")
    func refused() async throws {
        try await ServedPlace.single().serve { (client: WebClient, host: LedgerHost) async throws in
            for (transaction, renewal) in MisnamedParts.all {
                let body = try MisnamedParts.body(transaction, renewal)
                let answer = try await client.post("/v1/transactions", body)
                #expect(
                    answer.status == 400 && answer.code == "nestedPartInvalid", "\(transaction)")
                #expect(try await host.end() == 0, "\(transaction)")
            }
            for renewal in [nil, "renewal"] {
                let body = try MisnamedParts.body("transaction", renewal)
                let answer = try await client.post("/v1/transactions", body)
                #expect(answer.status == 200 && answer.json["result"]?.string == "appended")
            }
        }
    }
}
