import AppStore
import Testing

@testable import Signing

@Suite("A prepared key verifies what EVP_PKEY_verify does, and nothing else")
struct PreparedPointTests {
    private let key: PrivateKey
    private let plain: VerificationKey
    private let prepared: PreparedPoint

    init() throws {
        key = try PrivateKey(generating: .p256)
        plain = try #require(VerificationKey(publicKeyInfo: key.publicKeyInfo))
        prepared = try #require(PreparedPoint(publicKeyInfo: key.publicKeyInfo))
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Substring(hex)
        while rest.count >= 2, let byte = UInt8(rest.prefix(2), radix: 16) {
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    /// SubjectPublicKeyInfo of a point, from x and y.
    private static func info(_ point: String) throws -> [UInt8] {
        let any = try PrivateKey(generating: .p256).publicKeyInfo
        return any.dropLast(64) + bytes(point)
    }

    private static let zero = [UInt8](repeating: 0, count: 32)
    private static let one: [UInt8] = Array(repeating: 0, count: 31) + [1]
    private static let most = [UInt8](repeating: 0xFF, count: 32)
    private static let beforeOrder: [UInt8] =
        SignatureTests.order.dropLast() + [SignatureTests.order[31] - 1]
    /// Numbers at the bounds of what r, s and a digest may be.
    private static let bounds = [zero, one, beforeOrder, SignatureTests.order, most]

    @Test("Genuine signatures hold, over any digest; with any one bit changed they do not")
    func genuine() throws {
        var digests = Self.bounds
        for number in 0..<100 { digests.append(SHA256.hash(Array("\(number)".utf8)).bytes) }
        for (index, bytes) in digests.enumerated() {
            let raw = try #require(ES256Signature.raw(der: try key.sign(digest: bytes)))
            let signature = try #require(ES256Signature(raw: raw))
            let digest = try #require(Digest(bytes: bytes))
            #expect(prepared.isValid(signature, over: digest))
            #expect(plain.isValidPlainly(signature, over: digest))
            var (changed, other) = (raw, bytes)
            changed[index % 64] ^= 1 << (index % 8)
            other[index % 32] ^= 1 << (index % 8)
            let forged = try #require(ES256Signature(raw: changed))
            let otherDigest = try #require(Digest(bytes: other))
            #expect(!prepared.isValid(forged, over: digest))
            #expect(!prepared.isValid(signature, over: otherDigest))
        }
    }

    @Test("At the bounds of r, s and the digest both ways say the same")
    func agreement() throws {
        let genuine = try key.signES256(Array("message".utf8))
        let numbers = Self.bounds + [Array(genuine[..<32]), Array(genuine[32...])]
        let digests = Self.bounds + [SHA256.hash(Array("message".utf8)).bytes]
        var held = 0
        for r in numbers {
            for s in numbers {
                let signature = try #require(ES256Signature(raw: r + s))
                for bytes in digests {
                    let digest = try #require(Digest(bytes: bytes))
                    let isValid = prepared.isValid(signature, over: digest)
                    #expect(isValid == plain.isValidPlainly(signature, over: digest))
                    if isValid { held += 1 }
                }
            }
        }
        #expect(held == 1)
    }

    @Test("A point whose x is beyond the order is compared modulo the order")
    func beyondOrder() throws {
        // x = n + 3, so that r = 3; the key is r⁻¹(s·R − e·G) for chosen s and e.
        let info = try Self.info(
            "c9f66d50af373c7fb022b7855f81f56960daf842467250fb95f50a4533c18565"
                + "480aedd68541233e58bd008dd6b9c29ae9384dd7c58a226c56d45fd469d98313")
        let s = Self.bytes("1234567890abcdef1234567890abcdef1234567890abcdef1234567890abcdef")
        let r = Array(Self.zero.dropLast()) + [3]
        let signature = try #require(ES256Signature(raw: r + s))
        let digest = SHA256.hash(Array("beyond the order".utf8))
        #expect(
            try #require(VerificationKey(publicKeyInfo: info)).isValidPlainly(
                signature, over: digest))
        #expect(try #require(PreparedPoint(publicKeyInfo: info)).isValid(signature, over: digest))
    }

    /// The generator as a key: the private key is 1.
    private static let generator =
        "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
        + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"

    @Test("Both multiples being one point, they are doubled")
    func doubled() throws {
        let info = try Self.info(Self.generator)
        let r = Self.bytes("ecf269583287f9c20ced5bb358f0005f2946e89ca7d0115cf4867eabec4e3185")
        let s = Self.bytes("9aa51fce62eb32757e8ff7ffc7a743e6e74e444ca780347130028a2d6e4d13a5")
        let signature = try #require(ES256Signature(raw: r + s))
        // The digest is r: u1 = u2, and the points are equal.
        let digest = try #require(Digest(bytes: r))
        #expect(
            try #require(VerificationKey(publicKeyInfo: info)).isValidPlainly(
                signature, over: digest))
        #expect(try #require(PreparedPoint(publicKeyInfo: info)).isValid(signature, over: digest))
    }

    @Test("A sum at infinity has no x, and is no signature")
    func infinity() throws {
        let info = try Self.info(Self.generator)
        let point = try #require(PreparedPoint(publicKeyInfo: info))
        let key = try #require(VerificationKey(publicKeyInfo: info))
        // e + r = n with the private key 1.
        let digest = try #require(Digest(bytes: Self.beforeOrder))
        for s in [Self.one, Self.beforeOrder] {
            let signature = try #require(ES256Signature(raw: Self.one + s))
            #expect(!point.isValid(signature, over: digest))
            #expect(!key.isValidPlainly(signature, over: digest))
        }
    }

    @Test("What is no point has no table")
    func noPoint() {
        var info = key.publicKeyInfo
        info[info.count - 1] ^= 1
        #expect(PreparedPoint(publicKeyInfo: info) == nil)
        #expect(PreparedPoint(publicKeyInfo: []) == nil)
        #expect(PreparedPoint(publicKeyInfo: Array(repeating: 0, count: 91)) == nil)
    }

    @Test("A key is prepared after so many verifications, not before, and answers as it did")
    func prepares() throws {
        let digest = SHA256.hash(Array("message".utf8))
        let genuine = try key.signES256(Array("message".utf8))
        var forged = genuine
        forged[40] ^= 1
        for number in 1...VerificationKey.preparedAfterCount + 8 {
            #expect(plain.isPrepared == (number > VerificationKey.preparedAfterCount))
            let isForged = number % 2 == 0
            #expect(plain.isValid(isForged ? forged : genuine, over: digest) == !isForged)
        }
    }

    @Test("Many tasks that share a prepared key agree")
    func concurrency() async throws {
        let (prepared, key) = (prepared, key)
        let held = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var held = 0
                    for number in 0..<50 {
                        let message = Array("\(task) \(number)".utf8)
                        var raw = try key.signES256(message)
                        if number % 5 == 0 { raw[number] ^= 1 }
                        guard let signature = ES256Signature(raw: raw) else { continue }
                        if prepared.isValid(signature, over: SHA256.hash(message)) { held += 1 }
                    }
                    return held
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(held == 8 * 40)
    }
}
