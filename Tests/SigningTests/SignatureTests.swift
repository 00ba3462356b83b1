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
        let authority = try Authority()
        let verifier = EvidenceVerifier(roots: try TrustedRoots.apple.adding(authority.rootDER))
        let jws = try CompactJWS(parsing: try authority.sign(Trial.transaction()))
        let signature = try #require(ES256Signature(raw: jws.signature))
        let der = signature.withDER { Array($0) }
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
            let der = try #require(ES256Signature(raw: raw)).withDER { Array($0) }
            #expect(ES256Signature.raw(der: der) == raw)
        }
        for integer in [Self.zero, Self.one, Self.order, Self.most] {
            let raw = integer + Self.one
            let der = try #require(ES256Signature(raw: raw)).withDER { Array($0) }
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

    @Test("Many tasks that share a key agree")
    func concurrency() async throws {
        let verification = verification
        let signature = try key.signES256(message)
        let digest = SHA256.hash(message)
        let other = SHA256.hash([1])
        let agreed = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<24 {
                group.addTask {
                    (0..<50).allSatisfy { _ in
                        verification.isValid(signature, over: digest)
                            && !verification.isValid(signature, over: other)
                    }
                }
            }
            return await group.reduce(true) { $0 && $1 }
        }
        #expect(agreed)
    }

    // MARK: At the bounds of the equation (FIPS 186-5 §6.4.2)

    private static let beforeOrder: [UInt8] = order.dropLast() + [order[31] - 1]

    /// The key at a point, from x and y in hexadecimal.
    private func key(at point: String) throws -> VerificationKey {
        let coordinates = try #require(Hexadecimal.bytes(point.utf8))
        return try #require(
            VerificationKey(publicKeyInfo: key.publicKeyInfo.dropLast(64) + coordinates))
    }

    @Test("Of r, s and digests at their bounds only the genuine three go together")
    func bounds() throws {
        let genuine = try key.signES256(message)
        let bounds = [Self.zero, Self.one, Self.beforeOrder, Self.order, Self.most]
        let numbers = bounds + [Array(genuine[..<32]), Array(genuine[32...])]
        let digests = bounds + [SHA256.hash(message).bytes]
        var held = 0
        for r in numbers {
            for s in numbers {
                for bytes in digests {
                    let digest = try #require(Digest(bytes: bytes))
                    if verification.isValid(r + s, over: digest) { held += 1 }
                }
            }
        }
        #expect(held == 1)
        #expect(verification.isValid(genuine, over: SHA256.hash(message)))
    }

    @Test("Signatures over digests at their bounds hold; with any one bit changed they do not")
    func digestBounds() throws {
        for (index, bytes) in [
            Self.zero, Self.one, Self.beforeOrder, Self.order, Self.most,
        ].enumerated() {
            let raw = try #require(ES256Signature.raw(der: try key.sign(digest: bytes)))
            let digest = try #require(Digest(bytes: bytes))
            #expect(verification.isValid(raw, over: digest))
            var (forged, other) = (raw, bytes)
            forged[index] ^= 1 << index
            other[index] ^= 1 << index
            #expect(!verification.isValid(forged, over: digest))
            #expect(!verification.isValid(raw, over: try #require(Digest(bytes: other))))
        }
    }

    @Test("A point whose x is beyond the order is compared modulo the order")
    func beyondOrder() throws {
        // x = n + 3, so that r = 3; the key is r⁻¹(s·R − e·G) for chosen s and e.
        let verification = try key(
            at: "c9f66d50af373c7fb022b7855f81f56960daf842467250fb95f50a4533c18565"
                + "480aedd68541233e58bd008dd6b9c29ae9384dd7c58a226c56d45fd469d98313")
        let r: [UInt8] = Self.zero.dropLast() + [3]
        let s = Array(
            repeating: [0x12, 0x34, 0x56, 0x78, 0x90, 0xAB, 0xCD, 0xEF] as [UInt8], count: 4)
        let signature = r + s.joined()
        #expect(verification.isValid(signature, over: SHA256.hash(Array("beyond the order".utf8))))
        #expect(!verification.isValid(signature, over: SHA256.hash(message)))
    }

    /// The generator as a key: the private key is 1.
    private static let generator =
        "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
        + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"

    @Test("Both multiples being one point, they are doubled")
    func doubled() throws {
        let verification = try key(at: Self.generator)
        // The digest is r: u1 = u2, and the points are equal.
        let r = try #require(
            Hexadecimal.bytes(
                "ecf269583287f9c20ced5bb358f0005f2946e89ca7d0115cf4867eabec4e3185".utf8))
        let s = try #require(
            Hexadecimal.bytes(
                "9aa51fce62eb32757e8ff7ffc7a743e6e74e444ca780347130028a2d6e4d13a5".utf8))
        #expect(verification.isValid(r + s, over: try #require(Digest(bytes: r))))
        #expect(!verification.isValid(r + s, over: try #require(Digest(bytes: s))))
    }

    @Test("A sum at infinity has no x, and is no signature")
    func infinity() throws {
        let verification = try key(at: Self.generator)
        // e + r = n with the private key 1.
        let digest = try #require(Digest(bytes: Self.beforeOrder))
        for s in [Self.one, Self.beforeOrder] {
            #expect(!verification.isValid(Self.one + s, over: digest))
        }
    }
}
