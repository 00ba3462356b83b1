import AppStore
import LedgerStore
import LedgerTestSupport
import Projection
import SQLiteStore
import Service
import Simulator
import Testing

@testable import Web

@Suite("Uploads of signed data of another kind")
struct MisnamedPartTests {
    /// Payloads that Apple signs, by kind.
    private static let payloads: [String: String] = [
        "transaction": #"""
        {"transactionId":"7","originalTransactionId":"7","bundleId":"com.example.app",
        "environment":"Production","signedDate":1768046400000}
        """#,
        "renewal": #"""
        {"originalTransactionId":"7","autoRenewStatus":1,"autoRenewProductId":"p",
        "environment":"Production","signedDate":1768046400000}
        """#,
        "notification": #"""
        {"notificationType":"TEST","notificationUUID":"u","signedDate":1768046400000,
        "data":{"bundleId":"com.example.app","environment":"Production"}}
        """#,
        "appTransaction": #"""
        {"receiptType":"Production","bundleId":"com.example.app",
        "receiptCreationDate":1768046400000}
        """#,
    ]

    private static func signed(_ kind: String) throws -> String {
        try TestAuthority.signer.sign(Array(try #require(payloads[kind]).utf8))
    }

    /// The values sent as transaction and, if any, as renewal info.
    private static let misnamed: [(String, String?)] = [
        ("renewal", nil), ("notification", nil), ("appTransaction", nil),
        ("transaction", "transaction"), ("transaction", "notification"),
        ("transaction", "appTransaction"), ("renewal", "renewal"), ("renewal", "transaction"),
        ("notification", "renewal"), ("notification", "notification"),
    ]

    private static func body(_ transaction: String, _ renewal: String?) throws -> [UInt8] {
        let first = try signed(transaction)
        let second = try renewal.map { try signed($0) }
        var json = JSONWriter()
        json.object {
            $0.member("signedTransactionInfo", first)
            $0.memberIfPresent("signedRenewalInfo", second)
        }
        return json.bytes
    }

    @Test("Nothing is accepted as another kind", arguments: misnamed)
    func refused(transaction: String, renewal: String?) async throws {
        let body = try MisnamedPartTests.body(transaction, renewal)
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            let answer = try await client.post("/v1/transactions", body)
            #expect(answer.status == 400)
            #expect(answer.code == "nestedPartInvalid")
            let ledger = try host.ledger(.production).ledger
            #expect(try await ledger.log.head().position == 0)
        }
    }

    @Test("A transaction is accepted, alone or with its renewal info")
    func taken() async throws {
        let bodies = [
            try MisnamedPartTests.body("transaction", nil),
            try MisnamedPartTests.body("transaction", "renewal"),
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
