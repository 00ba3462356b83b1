import AppStore
import Testing

@testable import Signing

/// Project Wycheproof's vectors for ECDSA on P-256 with SHA-256, signatures in IEEE P1363 form,
/// which is that of ES256 (RFC 7518 §3.4), against each way a signature is accepted.
@Suite(
    "Wycheproof: ECDSA P-256 with SHA-256, P1363",
    .enabled(if: Fixtures.isUsable, Fixtures.absence))
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

    let groups: [Group]
    private let source: JSONValue

    init() throws {
        source = try JSONValue.parse(try Fixtures.bytes(Self.path))
        groups = try #require(source["testGroups"]?.array).map { group in
            Group(
                publicKeyInfo: try Self.bytes(group["publicKeyDer"]),
                vectors: try #require(group["tests"]?.array).map(Self.vector))
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

    @Test("The file has the expected vectors")
    func counts() {
        let vectors = groups.flatMap(\.vectors)
        #expect(source["numberOfTests"]?.int64 == 262)
        #expect(groups.count == 112)
        #expect(vectors.count == 262)
        #expect(Set(vectors.map(\.id)) == Set(1...262))
        #expect(vectors.filter(\.isValid).count == 173)
        #expect(
            vectors.filter { $0.signature.count != CompactJWS.signatureByteCount }.count == 21)
    }

    @Test("EVP_PKEY_verify alone, which bench verify measures as well")
    func plainly() throws {
        var count = 0
        for group in groups {
            let key = try #require(VerificationKey(publicKeyInfo: group.publicKeyInfo))
            for vector in group.vectors {
                let holds = ES256Signature(raw: vector.signature).map {
                    key.isValidPlainly($0, over: vector.digest)
                }
                #expect((holds ?? false) == vector.isValid, "tcId \(vector.id)")
                count += 1
            }
        }
        #expect(count == 262)
    }

    @Test("A prepared point alone, with and without inverses found for several signatures")
    func preparedPoint() throws {
        var (count, invertedCount) = (0, 0)
        for group in groups {
            let point = try #require(PreparedPoint(publicKeyInfo: group.publicKeyInfo))
            for vector in group.vectors {
                count += 1
                guard let signature = ES256Signature(raw: vector.signature) else {
                    #expect(!vector.isValid, "tcId \(vector.id)")
                    continue
                }
                #expect(
                    point.isValid(signature, over: vector.digest) == vector.isValid,
                    "tcId \(vector.id)")
                // As in a notification: with the signature of a part beside its own.
                let other = Array(repeating: 0, count: 63) + [7] as [UInt8]
                guard let inverses = point.inverses(of: [vector.signature, other]) else {
                    continue
                }
                invertedCount += 1
                #expect(
                    point.isValid(signature, over: vector.digest, inverses: inverses)
                        == vector.isValid, "tcId \(vector.id)")
            }
        }
        #expect(count == 262)
        // Every valid one has an s that can be inverted.
        #expect(invertedCount >= 173)
    }

    @Test("A key as the verifier has it, before and after it is prepared")
    func key() throws {
        var (count, preparedCount) = (0, 0)
        for group in groups {
            let key = try #require(VerificationKey(publicKeyInfo: group.publicKeyInfo))
            // Preparing takes hundreds of verifications: the group of most vectors only.
            let rounds = group.vectors.count > 100 ? 6 : 1
            for round in 1...rounds {
                if round == rounds, rounds > 1 { #expect(key.isPrepared) }
                for vector in group.vectors {
                    #expect(
                        key.isValid(vector.signature, over: vector.digest) == vector.isValid,
                        "tcId \(vector.id)")
                    if round == 1 { count += 1 }
                    if key.isPrepared { preparedCount += 1 }
                }
            }
        }
        #expect(count == 262)
        #expect(preparedCount >= 114)
    }
}
