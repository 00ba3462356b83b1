import AppStore
import AppleSync
import Intake
import Ledger
import LedgerTestSupport
import Projection
import Queries
import Signing
import Simulator
import Testing

@Suite("Decoded responses of Apple")
struct AnswerReaderTests {
    let now = TemporaryLedger.end

    var reader: AppleResponseReader {
        AppleResponseReader(verifier: EvidenceVerifier(roots: TestAuthority.roots), now: now)
    }

    func transaction() throws -> String {
        var payload = TransactionPayload()
        payload.transactionId = TransactionId("7")
        payload.originalTransactionId = OriginalTransactionId("7")
        payload.bundleId = BundleId(MadeChain.app)
        payload.environment = Raw(.sandbox)
        payload.signedDate = Timestamp(milliseconds: 1_770_000_000_000)
        return try TestAuthority.signer.sign(payload.encoded())
    }

    @Test("Signed parts are replaced by their content, the rest is unchanged")
    func opened() throws {
        let token = try transaction()
        let body = Array("{\"hasMore\":true,\"signedTransactions\":[\"\(token)\"]}".utf8)
        let read = try #require(reader.read(body))
        #expect(read["hasMore"]?.bool == true)
        #expect(read["signedTransactions"]?.array?.first?["transactionId"]?.string == "7")
        #expect(EvidenceClaims.environment(of: body) == .sandbox)
        #expect(AppleResponseReader.holdsEvidence(body))
    }

    @Test("A part that does not verify is replaced by the reason, without its claims")
    func unverified() throws {
        let token = try transaction()
        let spoilt =
            token.split(separator: ".").dropLast().joined(separator: ".") + "."
            + String(repeating: "A", count: 86)
        let body = Array("{\"signedTransactionInfo\":\"\(spoilt)\"}".utf8)
        let part = try #require(reader.read(body)?["signedTransactionInfo"])
        #expect(part["unverified"]?.string == "signatureMismatch")
        #expect(part["transactionId"] == nil)
    }

    @Test(
        "Responses without evidence are distinguished",
        arguments: ["", "{}", "[]", "{\"requestIdentifier\":\"x\"}", "{\"errorCode\":1}"])
    func nothing(_ text: String) {
        #expect(!AppleResponseReader.holdsEvidence(Array(text.utf8)))
        #expect(EvidenceClaims.environment(of: Array(text.utf8)) == nil)
    }

    @Test("A response is taken in as history, once")
    func intake() async throws {
        let ledger = try TemporaryLedger(environment: .sandbox)
        let body = Array("{\"signedTransactionInfo\":\"\(try transaction())\"}".utf8)
        let now = now
        for (appended, duplicates) in [(Int64(1), Int64(0)), (0, 1)] {
            let summary = try await ledger.ledger { open in
                let intake = Ingest(
                    ledger: open, apps: ledger.configuration.apps, verifier: ledger.verifier,
                    source: .history
                ) { now }
                return try await intake.run(lines: [body], input: "transactionInfo")
            }
            #expect(summary.appended == appended)
            #expect(summary.duplicates == duplicates)
            #expect(summary.position == 1)
        }
        let lines = try await ledger.exportLines(.events)
        #expect(lines.first?["source"]?.string == "history")
    }
}
