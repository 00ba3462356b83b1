import AppStore
import Simulator
import TestSupport
import Testing

@testable import Signing

@Suite("Chain policy")
struct CertificateChainPolicyTests {
    private struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: VerificationCode
        let change: @Sendable (inout AuthorityShape) -> Void

        init(
            _ description: String, _ code: VerificationCode,
            _ change: @escaping @Sendable (inout AuthorityShape) -> Void
        ) {
            testDescription = description
            self.code = code
            self.change = change
        }
    }

    private static let cases: [Case] = [
        Case("leaf without marker", .missingAppleMarker) { $0.hasLeafMarker = false },
        Case("intermediate without marker", .missingAppleMarker) {
            $0.hasIntermediateMarker = false
        },
        Case("leaf is an authority", .invalidCertificate) { $0.isLeafCA = true },
        Case("leaf is an authority for data", .invalidCertificate) { $0.isLeafCAForData = true },
        Case("intermediate is not an authority", .invalidCertificate) {
            $0.isIntermediateCA = false
        },
        Case("path length violated", .invalidCertificate) { $0.violatesPathLength = true },
        Case("unknown critical extension", .invalidCertificate) {
            $0.hasUnknownCriticalExtension = true
        },
        Case("leaf key must not sign", .invalidCertificate) { $0.mayLeafSign = false },
        Case("intermediate key must not sign certificates", .invalidCertificate) {
            $0.mayIntermediateSign = false
        },
        Case("leaf forged", .invalidCertificate) { $0.isLeafForged = true },
        Case("intermediate forged", .invalidCertificate) { $0.isIntermediateForged = true },
        Case("leaf names another issuer", .invalidCertificate) { $0.isLeafMisnamed = true },
        Case("SHA-1", .invalidCertificate) { $0.digest = "SHA1" },
        Case("root first", .untrustedRoot) { $0.presentation = .rootFirst },
        Case("two certificates", .invalidChainLength) { $0.presentation = .withoutRoot },
        Case("one certificate", .invalidChainLength) { $0.presentation = .leafOnly },
        Case("no certificate", .invalidChainLength) { $0.presentation = .empty },
        Case("four certificates", .invalidChainLength) { $0.presentation = .rootTwice },
        Case("leaf in place of the intermediate", .invalidCertificate) {
            $0.presentation = .leafTwice
        },
        Case("expired leaf", .certificateNotValidAtSigning) {
            $0.leafValidity = AuthorityShape.days(18_262...19_000)
        },
        Case("leaf not yet valid", .certificateNotValidAtSigning) {
            $0.leafValidity = AuthorityShape.days(20_000...21_000)
        },
        Case("expired intermediate", .certificateNotValidAtSigning) {
            $0.intermediateValidity = AuthorityShape.days(18_262...19_000)
        },
        Case("expired root", .certificateNotValidAtSigning) {
            $0.rootValidity = AuthorityShape.days(18_262...19_000)
        },
    ]

    @Test("A chain with one fault is rejected for it", arguments: cases)
    private func refused(wrong: Case) throws {
        var shape = AuthorityShape()
        wrong.change(&shape)
        let authority = try Authority(shape: shape)
        let verifier = EvidenceVerifier(roots: try trusted(authority))
        let jws = try authority.sign(Trial.transaction())
        for _ in 0..<2 {
            // Twice: a rejection must not change the result of the next attempt.
            #expect(
                Trial.code { _ = try verifier.verifyAny(jws, receivedAt: Trial.now) }
                    == wrong.code)
        }
    }

    private func trusted(_ authority: Authority) throws -> TrustedRoots {
        // A root whose path length excludes its own intermediate is still a root.
        try TrustedRoots.apple.adding(authority.rootDER)
    }

    @Test("A leaf on P-384 is rejected, whatever the signature")
    func wrongCurve() throws {
        var shape = AuthorityShape()
        shape.isLeafOnWrongCurve = true
        let authority = try Authority(shape: shape)
        #expect(throws: (any Error).self) { try authority.sign(Trial.transaction()) }
        let header = Authority.header(
            algorithm: "ES256",
            certificates: [authority.leafDER, authority.intermediateDER, authority.rootDER])
        let jws = CompactJWS.assemble(
            headerSegment: Base64.url.encode(header), payload: Trial.transaction(),
            signature: [UInt8](repeating: 1, count: 64))
        let verifier = EvidenceVerifier(roots: try trusted(authority))
        #expect(
            Trial.code { _ = try verifier.verifyAny(jws, receivedAt: Trial.now) }
                == .invalidCertificate)
    }

    @Test("A foreign root is rejected, even with a trusted one's name")
    func foreignRoot() throws {
        let authority = Trial.authority
        let foreign = try Authority()
        let verifier = EvidenceVerifier(roots: try trusted(authority))
        let foreignJWS = try foreign.sign(Trial.transaction())
        #expect(
            Trial.code { _ = try verifier.verifyAny(foreignJWS, receivedAt: Trial.now) }
                == .untrustedRoot)
        let header = Authority.header(
            algorithm: "ES256",
            certificates: [foreign.leafDER, foreign.intermediateDER, authority.rootDER])
        let lent = try foreign.sign(Trial.transaction(), header: header)
        #expect(
            Trial.code { _ = try verifier.verifyAny(lent, receivedAt: Trial.now) }
                == .invalidCertificate)
    }

    @Test("A certificate has at most 8 KiB")
    func certificateSize() throws {
        let limit = CertificateChainPolicy.maximumCertificateByteCount
        let bound = Base64.standard.encode([UInt8](repeating: 7, count: limit))
        let past = Base64.standard.encode([UInt8](repeating: 7, count: limit + 1))
        #expect(try JWSHeader.certificate(Trial.text(bound), part: .outer).count == limit)
        #expect(
            Trial.code { _ = try JWSHeader.certificate(Trial.text(past), part: .outer) }
                == .invalidCertificate)
    }

    @Test(
        "A certificate with a trailing byte, or not in base64, is rejected",
        arguments: [0, 1])
    func trailingByte(place: Int) throws {
        let authority = Trial.authority
        var chain = [authority.leafDER, authority.intermediateDER, authority.rootDER]
        chain[place].append(0)
        let verifier = EvidenceVerifier(roots: try trusted(authority))
        let longer = try authority.sign(
            Trial.transaction(),
            header: Authority.header(algorithm: "ES256", certificates: chain))
        #expect(
            Trial.code { _ = try verifier.verifyAny(longer, receivedAt: Trial.now) }
                == .invalidCertificate)
        let text = Trial.text(Base64.standard.encode(authority.rootDER))
        let header = "{\"alg\":\"ES256\",\"x5c\":[\"!\",\"\",\"\(text)\"]}"
        let garbage = try authority.sign(Trial.transaction(), header: Trial.json(header))
        #expect(
            Trial.code { _ = try verifier.verifyAny(garbage, receivedAt: Trial.now) }
                == .invalidCertificate)
    }

    @Test("The validity period is inclusive at both ends, to the millisecond")
    func validityBounds() throws {
        let authority = Trial.authority
        let verifier = EvidenceVerifier(roots: try trusted(authority))
        let window = authority.shape.leafValidity
        func code(at milliseconds: Int64) throws -> VerificationCode? {
            let jws = try authority.sign(Trial.transaction(signedDate: milliseconds))
            return Trial.code { _ = try verifier.verifyAny(jws, receivedAt: Trial.now) }
        }
        let (from, until) = (window.lowerBound.milliseconds, window.upperBound.milliseconds)
        #expect(try code(at: from) == nil)
        #expect(try code(at: until) == nil)
        #expect(try code(at: from - 1) == .certificateNotValidAtSigning)
        #expect(try code(at: until + 1) == .certificateNotValidAtSigning)
        // Not a date: outside the years 1 to 9999.
        #expect(try code(at: Int64.min) == .undecodablePayload)
        #expect(try code(at: Int64.max) == .undecodablePayload)
    }

    @Test("The strict profile is demanded of a chain under Apple's root, and of no other")
    func strictness() throws {
        // given
        var shape = AuthorityShape()
        shape.hasIssuerKeyIdentifier = false
        let authority = try Authority(shape: shape)
        func code(under root: Digest, isStrict: Bool? = nil) -> VerificationCode? {
            let presented = PresentedCertificateChain(
                leaf: authority.leafDER, intermediate: authority.intermediateDER,
                root: authority.rootDER, rootFingerprint: root)
            return Trial.code {
                _ = try CertificateChainPolicy.verify(presented, part: .outer, isStrict: isStrict)
            }
        }
        let own = SHA256.hash(authority.rootDER)
        // then
        #expect(code(under: own, isStrict: true) == .invalidCertificate)
        #expect(code(under: own, isStrict: false) == nil)
        // Otherwise the fingerprint decides, which was compared with the certificate before.
        #expect(code(under: own) == nil)
        #expect(code(under: TrustedRoots.appleRootG3) == .invalidCertificate)
    }

    @Test(
        "Apple's chains satisfy the strict profile",
        Fixtures.condition)
    func appleWindow() throws {
        let jws = try Fixtures.jws("013-notification-DID_RENEW.jws")
        let window = try #require(try JWSVerifier().verify(jws).window)
        // The leaf's own: 2025-09-19T19:44:51Z to 2027-10-13T17:47:23Z.
        #expect(window.from == Timestamp(milliseconds: 1_758_311_091_000))
        #expect(window.until == Timestamp(milliseconds: 1_823_449_643_000))
    }
}
