import AppStore
import LedgerTestSupport
import Simulator
import TestSupport
import Testing

@testable import Signing

@Suite("Tampering")
struct TamperingTests {
    /// Every byte in a soak; otherwise one of seven, so that every bit and every position of a
    /// base64 group is covered.
    private static let step = Soak.isOn ? 1 : 7

    /// Flips each bit in turn at every `step`-th byte and expects a rejection each time.
    private func expectRefusal(
        of jws: [UInt8], step: Int, by verifier: EvidenceVerifier
    ) throws {
        var bytes = jws
        var accepted: [Int] = []
        for index in Swift.stride(from: 0, to: jws.count, by: step) {
            let bit: UInt8 = 1 << UInt8(index % 8)
            bytes[index] ^= bit
            let code = Trial.code { _ = try verifier.verifyAny(bytes, receivedAt: Trial.now) }
            if code == nil { accepted.append(index) }
            bytes[index] ^= bit
        }
        #expect(accepted == [])
        #expect(Trial.code { _ = try verifier.verifyAny(jws, receivedAt: Trial.now) } == nil)
    }

    @Test(
        "No byte of a real transaction can be changed",
        Fixtures.condition)
    func everyByteOfARealTransaction() throws {
        let jws = try Fixtures.jws("050-transaction.jws")
        try expectRefusal(of: jws, step: Self.step, by: EvidenceVerifier())
    }

    @Test(
        "No byte of a real notification can be changed",
        Fixtures.condition)
    func bytesOfARealNotification() throws {
        let jws = try Fixtures.jws("013-notification-DID_RENEW.jws")
        // A prime, so that every position of a base64 group and every bit is covered.
        try expectRefusal(of: jws, step: Soak.isOn ? 7 : 29, by: EvidenceVerifier())
    }

    @Test("No byte of a minted transaction can be changed")
    func everyByteOfAMintedTransaction() throws {
        let authority = Trial.authority
        let roots = try TrustedRoots.apple.adding(authority.rootDER)
        let jws = try authority.sign(Trial.transaction())
        try expectRefusal(of: jws, step: Self.step, by: EvidenceVerifier(roots: roots))
    }

    @Test(
        "A truncated real transaction is rejected",
        Fixtures.condition)
    func truncations() throws {
        let jws = try Fixtures.jws("050-transaction.jws")
        let verifier = EvidenceVerifier()
        // Every length within the signature.
        let lengths = (0..<jws.count).filter {
            $0 % Self.step == 0 || $0 > jws.count - 2 * CompactJWS.signatureByteCount
        }
        let accepted = lengths.filter { length in
            Trial.code {
                _ = try verifier.verifyAny(Array(jws[..<length]), receivedAt: Trial.now)
            } == nil
        }
        #expect(accepted == [])
    }

    @Test("An extra byte at either end or white space anywhere is rejected")
    func additions() throws {
        let authority = Trial.authority
        let verifier = EvidenceVerifier(roots: try TrustedRoots.apple.adding(authority.rootDER))
        let jws = try authority.sign(Trial.transaction())
        let dot = try #require(jws.firstIndex(of: UInt8(ascii: ".")))
        let spoiled: [[UInt8]] = [
            jws + [0x0A], [0x20] + jws, jws + [UInt8(ascii: "=")],
            jws + [UInt8(ascii: ".")], [UInt8(ascii: ".")] + jws,
            Array(jws[..<dot]) + [0x0A] + Array(jws[dot...]), [0xEF, 0xBB, 0xBF] + jws, [],
        ]
        for bytes in spoiled {
            #expect(
                Trial.code { _ = try verifier.verifyAny(bytes, receivedAt: Trial.now) }
                    == .malformedJWS)
        }
    }

    @Test("A part under one header does not verify under another leaf's")
    func swappedHeaders() throws {
        let authority = Trial.authority
        let rotated = try authority.rotatedLeaf()
        let verifier = EvidenceVerifier(roots: try TrustedRoots.apple.adding(authority.rootDER))
        let one = try CompactJWS(parsing: try authority.sign(Trial.transaction()))
        let other = try CompactJWS(parsing: try rotated.sign(Trial.transaction()))
        for signed in [one, other] {
            #expect(throws: Never.self) {
                try verifier.verifyAny(signed.bytes, receivedAt: Trial.now)
            }
        }
        let mixed = CompactJWS.assemble(
            headerSegment: one.headerSegment, payload: other.payload, signature: other.signature)
        #expect(
            Trial.code { _ = try verifier.verifyAny(mixed, receivedAt: Trial.now) }
                == .signatureMismatch)
    }
}
