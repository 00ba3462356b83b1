import AppStore
import TestSupport
import Testing

@testable import Signing

/// Project Wycheproof's vectors for ECDSA on P-256 with SHA-256, signatures in IEEE P1363 form,
/// which is that of ES256 (RFC 7518 §3.4).
@Suite(
    "Wycheproof: ECDSA P-256 with SHA-256, P1363",
    Fixtures.condition)
struct WycheproofTests {
    static let path = "wycheproof/ecdsa_secp256r1_sha256_p1363_test.json"

    struct Vector {
        let id: Int64
        let message: [UInt8]
        let signature: [UInt8]
        let isValid: Bool

        var digest: Digest { SHA256.hash(message) }
    }

    struct Group {
        let publicKeyInfo: [UInt8]
        let vectors: [Vector]
    }

    private static func groups(_ source: JSONValue) throws -> [Group] {
        try #require(source["testGroups"]?.array).map { group in
            Group(
                publicKeyInfo: try bytes(group["publicKeyDer"]),
                vectors: try #require(group["tests"]?.array).map(vector))
        }
    }

    private static func bytes(_ value: JSONValue?) throws -> [UInt8] {
        let text = try #require(value?.string)
        return try #require(Hexadecimal.bytes(text.utf8))
    }

    private static func vector(_ value: JSONValue) throws -> Vector {
        let result = try #require(value["result"]?.string)
        // "acceptable" would need a decision, but does not occur in this file.
        try #require(result == "valid" || result == "invalid")
        return Vector(
            id: try #require(value["tcId"]?.int64), message: try bytes(value["msg"]),
            signature: try bytes(value["sig"]), isValid: result == "valid")
    }

    @Test("Of the expected vectors exactly the valid signatures are accepted")
    func signatures() throws {
        let source = try JSONValue.parse(try Fixtures.bytes(Self.path))
        let groups = try Self.groups(source)
        let vectors = groups.flatMap(\.vectors)
        #expect(source["numberOfTests"]?.int64 == 262)
        #expect(groups.count == 112)
        #expect(vectors.count == 262)
        #expect(Set(vectors.map(\.id)) == Set(1...262))
        #expect(vectors.filter(\.isValid).count == 173)
        #expect(
            vectors.filter { $0.signature.count != CompactJWS.signatureByteCount }.count == 21)
        for group in groups {
            let key = try #require(VerificationKey(publicKeyInfo: group.publicKeyInfo))
            for vector in group.vectors {
                #expect(
                    key.isValid(vector.signature, over: vector.digest) == vector.isValid,
                    "tcId \(vector.id)")
            }
        }
    }
}
