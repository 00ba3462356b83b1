import AppStore
import Simulator
import Testing

@testable import Signing

@Suite("ES256 signatures")
struct SignatureTests {
    /// The order of P-256's group (FIPS 186-5; SEC 2 §2.4.2).
    static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF, 0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63,
        0x25, 0x51,
    ]
    private static let zero = [UInt8](repeating: 0, count: 32)
    private static let one: [UInt8] = Array(repeating: 0, count: 31) + [1]
    private static let most = [UInt8](repeating: 0xFF, count: 32)

    private let key: PrivateKey
    private let verification: VerificationKey
    private let message = Array("message".utf8)

    init() throws {
        key = try PrivateKey(generating: .p256)
        verification = try #require(VerificationKey(publicKeyInfo: key.publicKeyInfo))
    }

    @Test(
        "r and s outside 1…n−1 are rejected",
        arguments: [zero, one, order, most], [zero, one, order, most])
    func ranges(r: [UInt8], s: [UInt8]) {
        #expect(!verification.isValid(r + s, over: SHA256.hash(message)))
    }

    @Test("A valid r with a bad s, and vice versa, are rejected")
    func halves() throws {
        let signature = try key.signES256(message)
        let digest = SHA256.hash(message)
        let (r, s) = (Array(signature[..<32]), Array(signature[32...]))
        #expect(verification.isValid(signature, over: digest))
        for other in [Self.zero, Self.order, Self.most, Self.one] {
            #expect(!verification.isValid(r + other, over: digest))
            #expect(!verification.isValid(other + s, over: digest))
        }
        #expect(!verification.isValid(s + r, over: digest))
        #expect(!verification.isValid(signature, over: SHA256.hash(Array("massage".utf8))))
    }

    @Test("A signature in DER, or of any length but 64, is rejected")
    func lengths() throws {
        let digest = SHA256.hash(message)
        let der = try key.sign(digest: digest.bytes)
        let raw = try #require(ES256Signature.raw(der: der))
        #expect(verification.isValid(raw, over: digest))
        #expect(!verification.isValid(der, over: digest))
        for count in [0, 1, 32, 63, 65, 96, 128] {
            let wrong = Array((raw + raw).prefix(count))
            #expect(!verification.isValid(wrong, over: digest))
        }
    }

    @Test("A JWS whose signature is DER is a mismatch")
    func derInJWS() throws {
        let authority = Trial.authority
        let verifier = EvidenceVerifier(roots: try TrustedRoots.apple.adding(authority.rootDER))
        let jws = try CompactJWS(parsing: try authority.sign(Trial.transaction()))
        let der = try #require(ES256Signature(raw: jws.signature)).der
        let other = CompactJWS.assemble(
            headerSegment: jws.headerSegment, payload: jws.payload, signature: der)
        // First with an unknown header, then with a cached one.
        for _ in 0..<2 {
            #expect(
                Trial.code { _ = try verifier.verifyAny(other, receivedAt: Trial.now) }
                    == .signatureMismatch)
            #expect(
                Trial.code { _ = try verifier.verifyAny(jws.bytes, receivedAt: Trial.now) } == nil)
        }
    }

    @Test("Raw and DER forms convert into each other for any r and s")
    func forms() throws {
        for _ in 0..<200 {
            let raw = try key.signES256(message)
            let der = try #require(ES256Signature(raw: raw)).der
            #expect(ES256Signature.raw(der: der) == raw)
        }
        for integer in [Self.zero, Self.one, Self.order, Self.most] {
            let raw = integer + Self.one
            let der = try #require(ES256Signature(raw: raw)).der
            #expect(ES256Signature.raw(der: der) == raw)
        }
    }

    @Test("Keys on other curves, compressed or off the curve are rejected")
    func keys() throws {
        let other = try PrivateKey(generating: .p384)
        #expect(VerificationKey(publicKeyInfo: other.publicKeyInfo) == nil)
        var info = key.publicKeyInfo
        #expect(VerificationKey(publicKeyInfo: Array(info.dropLast())) == nil)
        #expect(VerificationKey(publicKeyInfo: info + [0]) == nil)
        info[info.count - 1] ^= 1
        #expect(VerificationKey(publicKeyInfo: info) == nil)
        #expect(VerificationKey(publicKeyInfo: []) == nil)
    }
}
