import AppStore
import Foundation
import Intake
import LedgerTestSupport
import Testing

/// The secret is not stored, not even with unreadable evidence.
@Suite("Secrets in stored evidence")
struct SecretKeepingTests {
    private static let chain = MadeChain()
    private static let body = String(
        decoding: chain.notificationV1("INITIAL_BUY", through: 0, at: chain.start(0)),
        as: UTF8.self)

    /// Damaged or wrapped bodies.
    static let spoilt: [String] = {
        let escaped = body.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return [
            String(body.dropLast(20)), String(body.prefix(120)), "[\(body)]", "\u{FEFF}\(body)",
            body.replacing("{\"notification_type\"", with: "{\"bid\":\"a\",\"notification_type\""),
            "{\"receivedAt\":\"yesterday\",\"notificationV1\":\"\(escaped)\"}",
            "{\"body\":\(body)}", "{\"notificationV1\":\(body)}",
            "{\"receipt\":\"\(escaped)\"}", "{\"signedPayload\":\"\(escaped)\"}",
            "{\"receipt_data\":\"x\",\"password\" : \"\(MadeChain.secret)\"}",
            "1,'password': '\(MadeChain.secret)'",
        ]
    }()

    @Test("Refused evidence is kept without its password", arguments: spoilt)
    func refused(text: String) async throws {
        #expect(text.contains(MadeChain.secret))
        let ledger = try TemporaryLedger()
        let summary = try await ledger.ingest(file: Array(text.utf8))
        #expect(summary.appended == 0)
        #expect(summary.errors.count == 1)
        try expectNoSecret(ledger)
    }

    @Test("A secret that was saved beside a response is not ingested with it")
    func besideAnswer() async throws {
        let chain = SecretKeepingTests.chain
        let answer = String(
            decoding: chain.verifyReceipt(through: 1, at: chain.start(1)), as: UTF8.self)
        let saved = "{\"password\":\"\(MadeChain.secret)\"," + answer.dropFirst()
        let ledger = try TemporaryLedger()
        #expect(try await ledger.ingest([Array(saved.utf8)]).appended == 1)
        try expectNoSecret(ledger)
    }

    @Test(
        "A response saved with a password that is no string is ingested",
        arguments: ["null", "7"])
    func unusualPassword(value: String) async throws {
        let chain = SecretKeepingTests.chain
        let answer = String(
            decoding: chain.verifyReceipt(through: 1, at: chain.start(1)), as: UTF8.self)
        let saved = "{\"password\":\(value)," + answer.dropFirst()
        #expect(try await TemporaryLedger().ingest([Array(saved.utf8)]).appended == 1)
    }

    private func expectNoSecret(_ ledger: TemporaryLedger) throws {
        let root = ledger.configuration.dataDirectory
        let names = try #require(FileManager.default.enumerator(atPath: root)).compactMap {
            $0 as? String
        }
        #expect(!names.isEmpty)
        let needle = Data(MadeChain.secret.utf8)
        for name in names {
            let file = FileManager.default.contents(atPath: "\(root)/\(name)")
            #expect(file?.range(of: needle) == nil, "\(name)")
        }
    }
}
