import AppStore
import Simulator
import Testing

/// Signed payloads under the names of other kinds.
package enum MisnamedParts {
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

    package static func signed(_ kind: String) throws -> String {
        try TestAuthority.signer.sign(Array(try #require(payloads[kind]).utf8))
    }

    /// The kinds sent as transaction and, if any, as renewal info.
    package static let all: [(String, String?)] = [
        ("renewal", nil), ("notification", nil), ("appTransaction", nil),
        ("transaction", "transaction"), ("transaction", "notification"),
        ("transaction", "appTransaction"), ("renewal", "renewal"), ("renewal", "transaction"),
        ("notification", "renewal"), ("notification", "notification"),
    ]

    package static func body(_ transaction: String, _ renewal: String?) throws -> [UInt8] {
        let first = try signed(transaction)
        let second = try renewal.map { try signed($0) }
        var json = JSONWriter()
        json.object {
            $0.member("signedTransactionInfo", first)
            $0.memberIfPresent("signedRenewalInfo", second)
        }
        return json.bytes
    }
}
