import AppStore
import Foundation
import Ledger
import LedgerTestSupport
import Signing
import TestSupport
import Testing

@testable import LedgerStore

@Suite("Evidence packing")
struct LogEvidencePackingTests {
    @Test(
        "Every published JWS round-trips byte for byte", Fixtures.condition,
        arguments: Fixtures.manifest.map { "jws/" + $0.file })
    func published(path: String) throws {
        let bytes = try Fixtures.bytes(path)
        let prepared = try Sample.packer.pack(.jws(bytes))
        #expect(try prepared.packed.originalBytes() == bytes)
        #expect(prepared.evidenceHash == SHA256.hash(bytes))
        #expect(prepared.byteCount == bytes.count)
        let hashes = try prepared.packed.computedHashes()
        #expect(hashes.evidence == prepared.evidenceHash)
        #expect(hashes.payload == prepared.payloadHash)
    }

    @Test("A genuine notification packs to a twelfth of its size", Fixtures.condition)
    func storedSize() throws {
        let bytes = try Fixtures.bytes("jws/013-notification-DID_RENEW.jws")
        let prepared = try Sample.packer.pack(.jws(bytes))
        #expect(prepared.packed.form == .token)
        #expect(prepared.packed.headers.count == 1)
        #expect(prepared.packed.storedByteCount * 12 < bytes.count)
    }

    @Test("A pair of published JWS round-trips as its text form", Fixtures.condition)
    func publishedPair() throws {
        let transaction = try Fixtures.bytes("jws/035-transaction.jws")
        let renewal = try Fixtures.bytes("jws/068-renewal.jws")
        let prepared = try Sample.packer.pack(
            .pair(transaction: transaction, renewal: renewal, status: 4))
        let text = try String(decoding: prepared.packed.originalBytes(), as: UTF8.self)
        let value = try JSONValue.parse(Array(text.utf8))
        #expect(value["signedTransactionInfo"]?.string.map { Array($0.utf8) } == transaction)
        #expect(value["signedRenewalInfo"]?.string.map { Array($0.utf8) } == renewal)
        #expect(value["status"]?.int64 == 4)
        let payloads = try prepared.packed.payloads(of: .renewalPair)
        #expect(payloads.transaction == PackedEvidence.payload(ofToken: transaction))
        #expect(payloads.renewal == PackedEvidence.payload(ofToken: renewal))
        #expect(payloads.status == 4)
    }

    static let irregular = [
        "", ".", "..", "a.b", "a.b.c", "a..c", ".b.c", "a.b.c.d", "no dots at all",
        Sample.header + "." + "e30" + "." + "AAAA",
        Sample.header + ".e30=." + Sample.text(of: String(repeating: "s", count: 64)),
        // Unused bits of the last character set: not canonical.
        Sample.header + ".e31." + Sample.text(of: String(repeating: "s", count: 64)),
        Sample.token("{}") + "\n", Sample.token("{}") + ".x",
    ]

    @Test("Irregular evidence is stored verbatim", arguments: irregular)
    func irregularTokens(text: String) throws {
        let prepared = try Sample.packer.pack(.jws(Array(text.utf8)))
        #expect(prepared.packed.form == .verbatim)
        #expect(try prepared.packed.originalBytes() == Array(text.utf8))
        #expect(prepared.payloadHash == SHA256.hash(Array(text.utf8)))
    }

    static let payloads = [
        "null", "", "{}", "not json", "\u{0}\u{1}", #"{"data":{"signedTransactionInfo":""}}"#,
        #"{"data":{"signedTransactionInfo":"ey"}}"#,
        #"{"data":{"signedTransactionInfo":"eyJ9.e30"}}"#,
        #"{"data":{"signedTransactionInfo":"eyJ9.e30.AAAA"}}"#,
        #"{"data":{"signedTransactionInfo":"ey"#,
        #"{"data" : {"signedTransactionInfo" : "\#(Sample.token("{}"))"}}"#,
        #"{"signedTransactionInfo":"\#(Sample.token("{}"))"#,
        #"{"other":"\#(Sample.token("{}"))"}"#,
        #"["\#(Sample.token("{}"))"]"#,
        #""\#(Sample.token("{}"))""#,
    ]

    @Test("Evidence with any payload round-trips", arguments: payloads)
    func oddPayloads(payload: String) throws {
        let bytes = Array(Sample.token(payload).utf8)
        let prepared = try Sample.packer.pack(.jws(bytes))
        #expect(try prepared.packed.originalBytes() == bytes)
        #expect(try prepared.packed.computedHashes().payload == prepared.payloadHash)
        _ = try prepared.packed.payloads(of: .notification)
    }

    @Test("Signed parts are extracted from the outer payload and returned separately")
    func nested() throws {
        let prepared = try Sample.event("n").evidence
        let payloads = try prepared.packed.payloads(of: .notification)
        #expect(payloads.isOuterElided)
        #expect(payloads.transaction == Array(Sample.transaction("n").utf8))
        #expect(payloads.renewal == Array(Sample.renewal("n").utf8))
        #expect(payloads.appTransaction == nil)
        let outer = try JSONValue.parse(payloads.outer)
        #expect(outer["data"]?["signedTransactionInfo"]?.string == "")
        #expect(outer["data"]?["status"]?.int64 == 1)
        #expect(outer["notificationUUID"]?.string == "n")
    }

    @Test("The AppTransaction of a notification is extracted, too")
    func nestedAppTransaction() throws {
        // given
        let app = #"{"receiptType":"Sandbox"}"#
        func payload(_ part: String) -> String {
            #"{"notificationUUID":"n","appData":{"signedAppTransactionInfo":"\#(part)"}}"#
        }
        let token = Array(Sample.token(payload(Sample.token(app))).utf8)
        // when
        let packed = try Sample.packer.pack(.jws(token)).packed
        let payloads = try packed.payloads(of: .notification)
        // then
        #expect(payloads.appTransaction == Array(app.utf8))
        #expect(payloads.outer == Array(payload("").utf8))
        #expect(try packed.originalBytes() == token)
    }

    static let disputable = [
        // Escaped, duplicated, or named twice: readers could disagree, so nothing is extracted.
        #"{"note":"\u0022","data":{"signedTransactionInfo":"TOKEN"}}"#,
        #"{"note":"signedTransactionInfo","data":{"signedTransactionInfo":"TOKEN"}}"#,
        #"{"signedTransactionInfo":"TOKEN","data":{"signedTransactionInfo":"TOKEN"}}"#,
        #"{"data":{"signed\u0054ransactionInfo":"TOKEN"}}"#,
    ]

    @Test("An ambiguous payload stays whole", arguments: disputable)
    func ambiguous(template: String) throws {
        let payload = template.replacing("TOKEN", with: Sample.token(#"{"transactionId":"7"}"#))
        let prepared = try Sample.packer.pack(.jws(Array(Sample.token(payload).utf8)))
        let payloads = try prepared.packed.payloads(of: .notification)
        #expect(!payloads.isOuterElided)
        #expect(payloads.outer == Array(payload.utf8))
        #expect(payloads.transaction == nil)
    }

    @Test("A part that is no JWS stays in place")
    func brokenPart() throws {
        let good = Sample.token("{}")
        let payload = #"{"data":{"signedTransactionInfo":"\#(good)","signedRenewalInfo":"eyX"}}"#
        let bytes = Array(Sample.token(payload).utf8)
        let prepared = try Sample.packer.pack(.jws(bytes))
        #expect(try prepared.packed.originalBytes() == bytes)
        #expect(try prepared.packed.payloads(of: .notification).outer == Array(payload.utf8))
    }

    @Test("An irregular pair is stored verbatim and its payloads are still found")
    func irregularPair() throws {
        let transaction = Array((Sample.header + ".e30.AAAA").utf8)
        let renewal = Array(Sample.token("null").utf8)
        let prepared = try Sample.packer.pack(
            .pair(transaction: transaction, renewal: renewal, status: nil))
        #expect(prepared.packed.form == .verbatim)
        let payloads = try prepared.packed.payloads(of: .renewalPair)
        #expect(payloads.transaction == Array("{}".utf8))
        #expect(payloads.renewal == Array("null".utf8))
        #expect(payloads.status == nil)
    }

    @Test(
        "A pair that JSON would have to escape is refused", arguments: ["\"", "\\", "é", " ", "\n"])
    func unwritablePair(text: String) {
        #expect(throws: StoreError(.evidenceMalformed, reason: "", remedy: "")) {
            try Sample.packer.pack(
                .pair(transaction: Array(text.utf8), renewal: [], status: nil))
        }
    }

    @Test("Evidence is admitted at its bound and refused one byte past it")
    func size() throws {
        let atBound = [UInt8](repeating: 0x41, count: LogLimits.evidenceByteCount)
        #expect(try Sample.packer.pack(.verbatim(atBound)).byteCount == atBound.count)
        #expect(throws: StoreError(.evidenceTooLarge, reason: "", remedy: "")) {
            try Sample.packer.pack(.verbatim(atBound + [0x41]))
        }
    }

    @Test("Packed evidence truncated anywhere is unreadable and never crashes")
    func truncated() throws {
        let packed = try Sample.event("n").evidence.packed
        for count in stride(from: 0, to: packed.body.count, by: Soak.isOn ? 1 : 3) {
            let cut = PackedEvidence(
                form: packed.form, headers: packed.headers, body: Array(packed.body.prefix(count)))
            #expect(throws: PackedEvidence.unreadable) { try cut.originalBytes() }
            #expect(throws: PackedEvidence.unreadable) { try cut.payloads(of: .notification) }
        }
    }

    @Test("Packed evidence with any bit flipped is unreadable or different, never the same")
    func flipped() throws {
        let packed = try Sample.event("n").evidence.packed
        let original = try packed.originalBytes()
        for index in stride(from: 0, to: packed.body.count, by: Soak.isOn ? 1 : 3) {
            var body = packed.body
            body[index] ^= 1 << UInt8(index % 8)
            let flipped = PackedEvidence(form: packed.form, headers: packed.headers, body: body)
            #expect((try? flipped.originalBytes()) != original)
        }
    }

    @Test("The packer's header cache is bounded")
    func rememberedHeaders() throws {
        let packer = EvidencePacker()
        for index in 0...(LogLimits.rememberedHeaderCount + 1) {
            let header = Sample.text(of: #"{"x":\#(index)}"#)
            let token = Array(Sample.token("{}", header: header).utf8)
            #expect(try packer.pack(.jws(token)).packed.originalBytes() == token)
        }
        #expect(packer.rememberedCount == LogLimits.rememberedHeaderCount)
    }
}
