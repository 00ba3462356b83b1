import AppStore
import Intake
import LedgerTestSupport
import Queries
import Signing
import Simulator
import TestSupport
import Testing

/// Version 1 notifications with a receipt of another app, and responses that name no app.
@Suite("Receipts of other apps inside bodies")
struct ForeignReceiptTests {
    private let chain = MadeChain()
    private static let other = "com.example.other"

    private func place() throws -> TemporaryLedger {
        var ledger = try TemporaryLedger()
        ledger.roots = try ledger.roots.adding(TestAuthority.receipts.rootDER)
        try ledger.share()
        return ledger
    }

    /// A receipt created on the tenth day of the chain's second period.
    private func receipt(of bundleId: String) throws -> String {
        let contents = ReceiptContents(
            type: .production, bundleId: bundleId, creationDate: chain.start(1, 864_000_000),
            purchases: [
                ReceiptContents.subscription(
                    productId: chain.product, transactionId: chain.id,
                    originalTransactionId: chain.id, purchaseDate: chain.start(0),
                    expiresDate: chain.start(1))
            ])
        let signed = try TestAuthority.receipts.sign(contents)
        return String(decoding: Base64.standard.encode(signed), as: UTF8.self)
    }

    private func body(_ receipt: String, named: Bool = true) -> [UInt8] {
        let plain = String(
            decoding: chain.notificationV1("INITIAL_BUY", through: 0, at: chain.start(0)),
            as: UTF8.self)
        let whole = plain.replacing(
            "\"latest_receipt_info\":",
            with: "\"latest_receipt\":\"\(receipt)\",\"latest_receipt_info\":")
        return Array(
            (named ? whole : whole.replacing("\"bid\":\"\(MadeChain.app)\",", with: "")).utf8)
    }

    @Test(
        "A body with a receipt of another app is accepted without it, with a notice on its chain",
        arguments: [true, false])
    func foreign(named: Bool) async throws {
        let ledger = try place()
        let receipt = try receipt(of: Self.other)
        #expect(try await ledger.ingest([body(receipt, named: named)]).appended == 1)
        let event = try #require(try await ledger.exportLines(.events).first)
        // The latest past date in the body, not that of the receipt.
        #expect(event["signedDate"]?.string == chain.start(0).rfc3339)
        let notices = try #require(try await ledger.show(chain.id)["notices"]?.array)
        let notice = notices.first { $0["code"]?.string == "contradiction" }
        #expect(notice?["message"]?.string?.contains("receipt of another app") == true)
    }

    @Test("So is one whose receipt of another app does not verify")
    func altered() async throws {
        let ledger = try place()
        let good = try receipt(of: Self.other)
        let end = good.index(good.endIndex, offsetBy: -40)
        let altered =
            good[..<end] + (good[end] == "A" ? "B" : "A") + good[good.index(after: end)...]
        #expect(try await ledger.ingest([body(String(altered))]).appended == 1)
        #expect(try await ledger.show(chain.id).noticeCodes.contains("contradiction"))
    }

    @Test("The app's own receipt dates the body, as it always did")
    func own() async throws {
        let ledger = try place()
        let summary = try await ledger.ingest([body(try receipt(of: MadeChain.app))])
        #expect(summary.errors.isEmpty && summary.appended == 1)
        let event = try #require(try await ledger.exportLines(.events).first)
        #expect(event["signedDate"]?.string == chain.start(1, 864_000_000).rfc3339)
    }

    // MARK: Without an app

    @Test("A verifyReceipt response that names no app is refused")
    func nameless() async throws {
        let ledger = try TemporaryLedger()
        let plain = String(
            decoding: chain.verifyReceipt(through: 1, at: chain.start(1)), as: UTF8.self)
        let named = "\"bundle_id\":\"\(MadeChain.app)\""
        let bodies = [
            plain.replacing("\(named),", with: ""),
            plain.replacing(named, with: "\"bundle_id\":\"\""),
        ]
        #expect(bodies.allSatisfy { $0 != plain })
        let summary = try await ledger.ingest(bodies.map { Array($0.utf8) })
        #expect(summary.errors.map(\.code) == ["wrongApp", "wrongApp"])
        for error in summary.errors {
            #expect(error.message.contains("names no app"))
            #expect(!error.message.contains("configured here"))
        }
    }

    @Test("One of an app that is not configured names it and the configured ones")
    func unconfigured() async throws {
        var other = chain
        other.bundleId = Self.other
        let summary = try await TemporaryLedger(apps: [MadeChain.app, "com.example.second"]).ingest(
            [
                other.verifyReceipt(through: 1, at: chain.start(1))
            ])
        let message = try #require(summary.errors.first?.message)
        for name in [Self.other, MadeChain.app, "com.example.second"] {
            #expect(message.contains(name))
        }
    }
}
