import AppStore
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import SQLiteStore
import Signing
import Simulator
import Testing

/// Version 1 notifications that were refused because of a wrong configured secret.
@Suite("Identification by the receipt inside")
struct VouchedNotificationV1Tests {
    private let chain = MadeChain()
    private static let wrong = "fedcba9876543210fedcba9876543210"

    private func place() throws -> TemporaryLedger {
        var ledger = try TemporaryLedger()
        ledger.roots = try ledger.roots.adding(TestAuthority.receipts.rootDER)
        try ledger.share(Self.wrong)
        return ledger
    }

    private func receipt(
        of bundleId: String = MadeChain.app, authority: ReceiptAuthority = TestAuthority.receipts
    ) throws -> String {
        let contents = ReceiptContents(
            type: .production, bundleId: bundleId, creationDate: chain.start(0, 60_000),
            purchases: [
                ReceiptContents.subscription(
                    productId: chain.product, transactionId: chain.id,
                    originalTransactionId: chain.id, purchaseDate: chain.start(0),
                    expiresDate: chain.start(1))
            ])
        return String(decoding: Base64.standard.encode(try authority.sign(contents)), as: UTF8.self)
    }

    /// As Apple posts it, with the secret that Apple has.
    private func body(_ receipt: String?) -> String {
        let plain = String(
            decoding: chain.notificationV1("INITIAL_BUY", through: 0, at: chain.start(0)),
            as: UTF8.self)
        guard let receipt else { return plain }
        return plain.replacing(
            "\"latest_receipt_info\":",
            with: "\"latest_receipt\":\"\(receipt)\",\"latest_receipt_info\":")
    }

    private func kept(_ ledger: TemporaryLedger) async throws -> [QuarantineItem] {
        try await ledger.ledger { try await Quarantine(ledger: $0).items() }
    }

    @Test("Though refused, its copy survives a flood of other bodies and is accepted later")
    func flood() async throws {
        var ledger = try place()
        let summary = try await ledger.ingest([
            Array(body(nil).utf8), Array(body(try receipt()).utf8),
        ])
        #expect(summary.errors.map(\.code) == ["wrongSharedSecret", "wrongSharedSecret"])
        #expect(summary.errors.map { $0.message.contains("Apple signed") } == [false, true])
        let items = try await kept(ledger)
        #expect(items.map(\.standing) == [.unverifiable, .awaitingSecret])
        #expect(items.map(\.bundleId) == [nil, BundleId(MadeChain.app)])
        try await ledger.ledger { opened in
            // Of a code that a retry skips: the one item of interest is tried among them.
            let code = VerificationCode.payloadTooLarge.rawValue
            let strangers = (0..<QuarantineLimits.unverifiableCount).map { number in
                NewQuarantineItem(
                    receivedAt: chain.start, standing: .unverifiable, code: code,
                    message: "Why.", bytes: Array("stranger \(number)".utf8), input: "file:1")
            }
            _ = try await opened.operations.quarantine(strangers)
        }
        try ledger.share()
        let retried = try await ledger.retryQuarantine()
        // The one without a receipt was evicted.
        #expect(retried.appended == 1)
        #expect(
            try await ledger.show(chain.id, at: chain.start(0, 1))["state"]?.string == "subscribed")
    }

    @Test("Where its own password occurs in it twice, it is not kept")
    func repeatedPassword() async throws {
        let ledger = try place()
        let twice = body(try receipt()).replacing(
            "\"environment\":\"PROD\"",
            with: "\"environment\":\"PROD\",\"x\":\"\(MadeChain.secret)\"")
        let summary = try await ledger.ingest([Array(twice.utf8)])
        #expect(summary.errors.map(\.code) == ["wrongSharedSecret"])
        #expect(try await kept(ledger).allSatisfy { $0.standing == .unverifiable })
    }

    @Test("Only a receipt that Apple signed for the named app identifies a body")
    func nothing() async throws {
        let ledger = try place()
        let good = try receipt()
        let middle = good.index(good.startIndex, offsetBy: good.count / 2)
        let altered =
            String(good[..<middle]) + (good[middle] == "A" ? "B" : "A")
            + good[good.index(after: middle)...]
        let bodies = [
            body(altered), body(try receipt(authority: try ReceiptAuthority())),
            body(try receipt(of: "com.example.other")), body(String(good.dropLast(40))), body(""),
            body(good).replacing(MadeChain.app, with: "com.example.other"),
            body(good).replacing("\"latest_receipt\":\"\(good)\"", with: "\"latest_receipt\":[7]"),
            body(good).replacing("\"password\":\"\(MadeChain.secret)\",", with: ""),
        ]
        let summary = try await ledger.ingest(bodies.map { Array($0.utf8) })
        // The secret of an app that is not configured is unknown.
        let otherCount = summary.errors.count { $0.code != "sharedSecretMissing" }
        #expect(otherCount == 7)
        #expect(summary.errors.count == 8)
        let items = try await kept(ledger)
        #expect(items.map(\.standing) == bodies.map { _ in .unverifiable })
    }

    @Test("With the app's secret a receipt does not identify a body about purchases of another app")
    func otherPurchases() async throws {
        // given
        var ledger = try place()
        try ledger.share()
        let list = "\"latest_receipt_info\":[{"
        let foreign = body(try receipt()).replacing(
            list, with: "\(list)\"bid\":\"com.example.other\",")
        // when
        let summary = try await ledger.ingest([Array(foreign.utf8)])
        // then
        #expect(summary.errors.map(\.code) == ["wrongSharedSecret"])
        let message = summary.errors.first?.message ?? ""
        #expect(message.contains("the shared secret of \(MadeChain.app), and a purchase"))
        #expect(!message.contains("Apple signed"))
        let items = try await kept(ledger)
        #expect(items.map(\.standing) == [.unverifiable])
        #expect(items.map(\.bundleId) == [nil])
    }

    @Test("A body that names no app belongs to the app of its receipt, also one of before 2020")
    func nameless() async throws {
        let ledger = try place()
        let nameless = body(try receipt()).replacing("\"bid\":\"\(MadeChain.app)\",", with: "")
        let old = nameless.replacing("\"unified_receipt\":{", with: "\"old\":1,")
            .replacing("\"environment\":\"Production\",", with: "").replacing("}}", with: "}")
        #expect(nameless != old)
        let summary = try await ledger.ingest([nameless, old].map { Array($0.utf8) })
        #expect(summary.errors.map(\.code) == ["wrongSharedSecret", "wrongSharedSecret"])
        #expect(
            try await kept(ledger).map(\.bundleId)
                == [nil, nil].map { _ in
                    BundleId(MadeChain.app)
                })
    }
}
