import AppStore
import Intake
import LedgerTestSupport
import Simulator
import Testing

@Suite("Lines that misname their evidence")
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

    /// The kinds sent as transaction and, if any, as renewal info.
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

    @Test("A line whose parts are signed as another kind is rejected", arguments: misnamed)
    func rejected(transaction: String, renewal: String?) async throws {
        let ledger = try TemporaryLedger()
        let summary = try await ledger.ingest([try MisnamedPartTests.body(transaction, renewal)])
        #expect(summary.rejected == 1)
        #expect(summary.appended == 0)
        #expect(summary.errors.map(\.code) == ["nestedPartInvalid"])
    }

    @Test("So is an element of signedTransactions; a transaction among them is accepted")
    func list() async throws {
        let renewal = try MisnamedPartTests.signed("renewal")
        let transaction = try MisnamedPartTests.signed("transaction")
        var json = JSONWriter()
        json.object { $0.array("signedTransactions", [renewal, transaction]) { $0.value($1) } }
        let summary = try await TemporaryLedger().ingest([json.bytes])
        #expect(summary.rejected == 1)
        #expect(summary.appended == 1)
        #expect(summary.errors.map(\.code) == ["nestedPartInvalid"])
    }
}
