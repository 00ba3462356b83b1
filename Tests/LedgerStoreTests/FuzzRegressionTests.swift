import Ledger
import LedgerTestSupport
import Signing
import Testing

@testable import LedgerStore

/// Cases found by `make fuzz` in this module, one test for each, with the input as text, or as
/// base64 where it is not readable.
@Suite("Fuzz regressions of the store")
struct FuzzRegressionTests {
    private static let signature = String(
        decoding: Base64.url.encode([UInt8](repeating: 1, count: 64)), as: UTF8.self)

    /// With such a header the surrounding payload is not JSON, or is different JSON.
    static let headers = ["ey\n", "ey\\", "ey\u{0}", "eyé", "eyB", "ey==", "ey{}"]

    @Test("A part whose header is not base64url stays in place", arguments: headers)
    func strangeHeader(header: String) throws {
        let part = header + ".e30." + FuzzRegressionTests.signature
        let payload = #"{"notificationType":"TEST","data":{"signedTransactionInfo":"\#(part)"}}"#
        let bytes = Array(Sample.token(payload).utf8)
        let prepared = try Sample.packer.pack(.jws(bytes))
        #expect(prepared.packed.form == .token)
        #expect(try prepared.packed.originalBytes() == bytes)
        let packed = try prepared.packed.payloads(of: .notification)
        let plain = try PackedEvidence(form: .verbatim, headers: [], body: bytes)
            .payloads(of: .notification)
        #expect(!packed.isOuterElided)
        #expect(packed.outer == plain.outer)
        #expect(packed.transaction == plain.transaction)
    }

    @Test("Beside a part whose header begins with no quotation mark, none is extracted")
    func strangeHeaderBeside() throws {
        let spaced = String(decoding: Base64.url.encode(Array("{ }".utf8)), as: UTF8.self)
        let part = { (header: String) in "\(header).e30.\(FuzzRegressionTests.signature)" }
        let payload = """
            {"notificationType":"TEST","data":{"signedTransactionInfo":"\(part("eyJ9"))",\
            "signedRenewalInfo":"\(part(spaced.replacing("ey", with: "eJ")))"}}
            """
        let bytes = Array(Sample.token(payload).utf8)
        let packed = try Sample.packer.pack(.jws(bytes)).packed
        #expect(packed.form == .token)
        let plain = PackedEvidence(form: .verbatim, headers: [], body: bytes)
        #expect(
            try packed.payloads(of: .notification) == plain.payloads(of: .notification))
    }

    @Test("A part of a pair keeps an apparent signed part inside its payload")
    func signedPartsInsidePair() throws {
        let inner = #"{"data":{"signedTransactionInfo":"\#(Sample.token("{}"))"}}"#
        let token = Array(Sample.token(inner).utf8)
        let prepared = try Sample.packer.pack(.pair(transaction: token, renewal: token, status: 5))
        #expect(prepared.packed.form == .pair)
        let payloads = try prepared.packed.payloads(of: .renewalPair)
        #expect(payloads.transaction == Array(inner.utf8))
        #expect(payloads.renewal == Array(inner.utf8))
        #expect(payloads.status == 5)
        #expect(try prepared.packed.computedHashes().payload == prepared.payloadHash)
    }
}
