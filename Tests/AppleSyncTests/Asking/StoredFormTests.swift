import AppStore
import AppleSync
import Foundation
import Intake
import LedgerTestSupport
import Signing
import Simulator
import TestSupport
import Testing

/// Unusual forms in which receipts and responses were stored.
@Suite("Forms of stored receipts")
struct StoredFormTests {
    private let chain = MadeChain()

    private func read(_ bytes: [UInt8]) async throws -> StoredEvidence {
        let directory = try TemporaryDirectory()
        let root = try MigrationTests().folder([("a", bytes)], in: directory)
        return try await StoreKitImport(apps: [Configuration.App(bundleId: BundleId(MadeChain.app))]
        )
        .read(root)
    }

    private var answer: String {
        String(
            decoding: chain.verifyReceipt(through: 0, at: chain.start(0)), as: UTF8.self)
    }

    @Test("A byte order mark before a body, in one line or several, is skipped")
    func byteOrderMark() async throws {
        for text in [answer, answer.replacing(",", with: ",\n")] {
            let evidence = try await read([0xEF, 0xBB, 0xBF] + Array(text.utf8))
            #expect(evidence.badInputs.isEmpty)
            #expect(evidence.responses == 1)
        }
        let receipt = try #require(
            StoredReceipts.reported.ids(at: StoredReceipts.stored).first.flatMap {
                StoredReceipts.reported.receipt(of: $0, at: StoredReceipts.stored)
            })
        let base64 = Base64.standard.encode(try TestAuthority.receipts.sign(receipt))
        let marked = try await read([0xEF, 0xBB, 0xBF] + StoredReceipts.broken(base64))
        #expect(marked.receipts == 1)
        let url = String(decoding: base64, as: UTF8.self)
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        #expect(try await read(Array(url.utf8)).receipts == 1)
    }

    @Test(
        "A list is reported once, with what to do, in one line or several",
        arguments: ["[%]", "[\n%\n]", "[\n%,\n%,\n1\n]", "  [%]"])
    func list(_ form: String) async throws {
        let evidence = try await read(Array(form.replacing("%", with: answer).utf8))
        #expect(evidence.badInputs.map(\.code) == ["jsonList"])
        #expect(evidence.badInputs.first?.message.contains("jq -c") == true)
        #expect(evidence.responses == 0)
    }

    @Test("Nothing of a list is ingested, also where one of its lines is a body")
    func listIsNotIngested() async throws {
        let place = try TemporaryLedger()
        let other = MadeChain(id: "500000000000002")
        let last = String(
            decoding: other.verifyReceipt(through: 0, at: other.start(0)), as: UTF8.self)
        let root = try MigrationTests().folder(
            [("a", Array("[\n\(last),\n\(last)\n]".utf8)), ("b", Array(answer.utf8))],
            in: place.directory)
        let run = try await MigrationTests().migrate(root, try AskedApple(), place)
        #expect(run.evidence.badInputs.map(\.code) == ["jsonList"])
        #expect(run.ingest.read == 1)
        #expect(run.ingest.appended == 1)
    }
}
