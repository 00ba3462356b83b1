import AppStore
import LedgerStore
import LedgerTestSupport
import Simulator
import Testing

@testable import Signing

@Suite("Packing a verified JWS")
struct VerifiedPackingTests {
    private let nested: [UInt8]
    private let token: [UInt8]

    init() throws {
        let authority = try Authority()
        nested = try authority.sign(Array(#"{"transactionId":"1"}"#.utf8))
        let text = String(decoding: nested, as: UTF8.self)
        token = try authority.sign(Array(#"{"data":{"signedTransactionInfo":"\#(text)"}}"#.utf8))
    }

    private func signed(payload: [UInt8]) -> SignedBytes {
        SignedBytes(payload: payload, digest: SHA256.hash(token))
    }

    @Test("It is packed and hashed as without the verification result")
    func same() throws {
        let payload = try CompactJWS(parsing: token).payload
        let known = try Sample.packer.pack(.jws(token), signed: signed(payload: payload))
        let plain = try Sample.packer.pack(.jws(token))
        #expect(known.packed.form == .token)
        #expect(known.packed.body == plain.packed.body)
        #expect(known.packed.headers == plain.packed.headers)
        #expect(known.evidenceHash == plain.evidenceHash)
        #expect(known.payloadHash == plain.payloadHash)
        #expect(known.byteCount == plain.byteCount)
        #expect(try known.packed.originalBytes() == token)
    }

    @Test("A mismatched payload is never used: the bytes are stored verbatim")
    func otherPayload() throws {
        let payload = try CompactJWS(parsing: token).payload
        for other in [[], payload.dropLast(), payload + [0x20], nested] as [[UInt8]] {
            let prepared = try Sample.packer.pack(.jws(token), signed: signed(payload: other))
            #expect(prepared.packed.form == .verbatim)
            #expect(try prepared.packed.originalBytes() == token)
            #expect(prepared.evidenceHash == SHA256.hash(token))
        }
    }
}
