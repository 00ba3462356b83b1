import AppStore
import LedgerTestSupport
import Simulator
import Testing

@testable import Signing

/// Results of verifications, in a form for comparison.
enum Trial {
    /// The error thrown, or nil.
    static func error(_ body: () throws -> Void) -> VerificationError? {
        do {
            try body()
            return nil
        } catch let error as VerificationError {
            return error
        } catch {
            Issue.record("an error other than VerificationError was thrown")
            return nil
        }
    }

    static func code(_ body: () throws -> Void) -> VerificationCode? {
        error(body)?.code
    }

    /// Of the usual form, for tests that only sign with it.
    static var authority: Authority { TestAuthority.shared }

    /// A moment in the validity of every default authority: 2024-08-06T12:00:00Z.
    static let now = Timestamp(milliseconds: 1_722_945_600_000)

    static func json(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// A transaction payload; `more` has further members, each preceded by a comma.
    static func transaction(
        id: String = "2000000000000001", original: String = "2000000000000001",
        environment: String = "Sandbox", bundleId: String = "com.example.app",
        signedDate: Int64? = now.milliseconds, more: String = ""
    ) -> [UInt8] {
        let date = signedDate.map { ",\"signedDate\":\($0)" } ?? ""
        return json(
            """
            {"transactionId":"\(id)","originalTransactionId":"\(original)",\
            "bundleId":"\(bundleId)","environment":"\(environment)"\(date)\(more)}
            """)
    }

    static func renewal(
        original: String = "2000000000000001", environment: String = "Sandbox",
        signedDate: Int64? = now.milliseconds
    ) -> [UInt8] {
        let date = signedDate.map { ",\"signedDate\":\($0)" } ?? ""
        return json(
            """
            {"originalTransactionId":"\(original)","autoRenewStatus":1,\
            "autoRenewProductId":"pro","environment":"\(environment)"\(date)}
            """)
    }

    /// A notification around signed parts.
    static func notification(
        transaction: [UInt8]? = nil, renewal: [UInt8]? = nil, environment: String? = "Sandbox",
        bundleId: String = "com.example.app", signedDate: Int64? = now.milliseconds
    ) -> [UInt8] {
        var data = ["\"bundleId\":\"\(bundleId)\""]
        if let environment { data.append("\"environment\":\"\(environment)\"") }
        if let transaction { data.append("\"signedTransactionInfo\":\"\(text(transaction))\"") }
        if let renewal { data.append("\"signedRenewalInfo\":\"\(text(renewal))\"") }
        let date = signedDate.map { ",\"signedDate\":\($0)" } ?? ""
        return json(
            """
            {"notificationType":"DID_RENEW","notificationUUID":"u","version":"2.0",\
            "data":{\(data.joined(separator: ","))}\(date)}
            """)
    }

    static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// `jws` with another payload under the same signature.
    static func forged(_ jws: [UInt8]) throws -> [UInt8] {
        let parts = try CompactJWS(parsing: jws)
        return CompactJWS.assemble(
            headerSegment: parts.headerSegment, payload: transaction(id: "2"),
            signature: parts.signature)
    }
}

extension Authority {
    /// The payload as a compact JWS under an arbitrary header: JSON bytes.
    func sign(_ payload: [UInt8], header: [UInt8]) throws -> [UInt8] {
        try CompactJWS.sign(header: header, payload: payload, key: leafKey)
    }
}
