import AppStore
import LedgerTestSupport
import Simulator
import Testing

@testable import Signing

@Suite("Minting")
struct MintingTests {
    @Test("The throw-away authority's headers are as large as Apple's")
    func sizes() throws {
        let authority = Trial.authority
        let jws = try CompactJWS(parsing: try authority.sign(Trial.transaction()))
        // Apple's is 4,411 characters with the chain of 2025.
        #expect((4200...4600).contains(jws.headerSegment.count))
        #expect((1000...1150).contains(authority.leafDER.count))
        #expect((740...850).contains(authority.intermediateDER.count))
        #expect((540...640).contains(authority.rootDER.count))
    }

    @Test("Its chain satisfies the strict profile required of Apple's")
    func strictness() throws {
        let authority = Trial.authority
        let presented = PresentedCertificateChain(
            leaf: authority.leafDER, intermediate: authority.intermediateDER,
            root: authority.rootDER, rootFingerprint: SHA256.hash(authority.rootDER))
        #expect(
            Trial.code {
                _ = try CertificateChainPolicy.verify(presented, part: .outer, isStrict: true)
            } == nil)
    }

    @Test("A rotated leaf has another key under the same root")
    func rotation() throws {
        let authority = Trial.authority
        let validity = AuthorityShape.days(19_000...19_500)
        let rotated = try authority.rotatedLeaf(validity: validity)
        #expect(rotated.rootDER == authority.rootDER)
        #expect(rotated.intermediateDER == authority.intermediateDER)
        #expect(rotated.leafDER != authority.leafDER)
        let roots = try TrustedRoots.apple.adding(authority.rootDER)
        let verified = try JWSVerifier(roots: roots).verify(try rotated.sign(Trial.transaction()))
        #expect(
            verified.window
                == ValidityWindow(from: validity.lowerBound, until: validity.upperBound))
    }

    @Test(
        "A key that is not PKCS#8 in PEM is rejected",
        arguments: [
            "", "garbage", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        ])
    func unreadableKeys(text: String) {
        #expect(throws: SigningError(.unreadableKey)) { try PrivateKey(pem: Array(text.utf8)) }
    }

    @Test("Signatures of a key read from PEM verify with its public key", arguments: Curve.allCases)
    func pem(curve: Curve) throws {
        let key = try PrivateKey(generating: curve)
        let copy = try PrivateKey(pem: try key.pem())
        #expect(copy.curve == curve)
        #expect(copy.publicKeyInfo == key.publicKeyInfo)
        let message = Array("message".utf8)
        guard curve == .p256 else {
            #expect(throws: SigningError(.wrongCurve)) { try copy.signES256(message) }
            return
        }
        let verification = try #require(VerificationKey(publicKeyInfo: key.publicKeyInfo))
        #expect(verification.isValid(try copy.signES256(message), over: SHA256.hash(message)))
        #expect(!"\(copy)".contains("BEGIN"))
    }
}
