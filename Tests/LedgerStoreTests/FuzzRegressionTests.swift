import Ledger
@testable import LedgerStore
import Signing
import Testing


/// What `make fuzz` found in this room: one case for each, with the input written out, or pasted as
/// base64 where it cannot be read anyway.
@Suite("Fuzz regressions of the store")
struct FuzzRegressionTests {
    private static let signature = String(
        decoding: Base64URL.encode([UInt8](repeating: 1, count: 64)), as: UTF8.self)

    /// Around such a part the payload is no JSON, or JSON that says something else.
    static let headers = ["ey\n", "ey\\", "ey\u{0}", "eyé", "eyB", "ey==", "ey{}"]

    @Test("A part whose header is no base64url stays in its place", arguments: headers)
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

    @Test("A part of a pair keeps what looks like a signed part inside its payload")
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
