import AppStore
import Simulator
import Testing

@testable import Signing

@Suite("Floods of unknown chains")
struct ChainFloodTests {
    private static let payload = Trial.transaction()

    /// Not refilled during the test: its clock is far in the future.
    private static func budget() -> CertificateChainBudget {
        CertificateChainBudget(now: ContinuousClock.now.advanced(by: .seconds(86_400)))
    }

    private static func authority(
        _ change: (inout AuthorityShape) -> Void = { _ in }
    ) throws -> Authority {
        var shape = AuthorityShape()
        change(&shape)
        return try Authority(shape: shape)
    }

    private static func roots(_ authorities: Authority...) throws -> TrustedRoots {
        var roots = TrustedRoots.apple
        for authority in authorities { roots = try roots.adding(authority.rootDER) }
        return roots
    }

    private static func code(_ verifier: EvidenceVerifier, _ jws: [UInt8]) -> VerificationCode? {
        Trial.code { _ = try verifier.verifyAny(jws, receivedAt: Trial.now) }
    }

    fileprivate enum Misfit: CaseIterable {
        case leafMarker
        case intermediateMarker
        case issuerName

        var code: VerificationCode {
            self == .issuerName ? .invalidCertificate : .missingAppleMarker
        }

        func change(_ shape: inout AuthorityShape) {
            switch self {
            case .leafMarker: shape.hasLeafMarker = false
            case .intermediateMarker: shape.hasIntermediateMarker = false
            case .issuerName: shape.isLeafMisnamed = true
            }
        }
    }

    @Test(
        "Chains with wrong names or markers use no budget",
        arguments: Misfit.allCases)
    fileprivate func cheap(_ misfit: Misfit) throws {
        let (stranger, genuine) = (
            try Self.authority { misfit.change(&$0) }, try Self.authority()
        )
        let code = misfit.code
        let verifier = EvidenceVerifier(
            roots: try Self.roots(stranger, genuine), chainBudget: Self.budget())
        let strange = try stranger.sign(Self.payload)
        for _ in 0..<Int(CertificateChainBudget.burst) + 20 {
            #expect(Self.code(verifier, strange) == code)
        }
        #expect(Self.code(verifier, try genuine.sign(Self.payload)) == nil)
    }

    @Test("Forged chains use it up; known chains, or those with another budget, still pass")
    func forged() throws {
        let stranger = try Self.authority { $0.isLeafForged = true }
        let (known, late) = (try Self.authority(), try Self.authority())
        let verifier = EvidenceVerifier(
            roots: try Self.roots(stranger, known, late), chainBudget: Self.budget())
        #expect(Self.code(verifier, try known.sign(Self.payload)) == nil)
        let strange = try stranger.sign(Self.payload)
        for number in 0..<Int(CertificateChainBudget.burst) + 20 {
            let isLeft = number < Int(CertificateChainBudget.burst) - 1
            let code: VerificationCode = isLeft ? .invalidCertificate : .tooManyUnknownChains
            #expect(Self.code(verifier, strange) == code)
        }
        #expect(Self.code(verifier, try known.sign(Self.payload)) == nil)
        let unknown = try late.sign(Self.payload)
        #expect(Self.code(verifier, unknown) == .tooManyUnknownChains)
        let apart = verifier.budgeted(by: Self.budget())
        #expect(Self.code(apart, try known.sign(Self.payload)) == nil)
        #expect(Self.code(apart, unknown) == nil)
        // Both share one cache.
        #expect(Self.code(verifier, unknown) == nil)
    }

    /// The certificate with the length of its outermost sequence encoded in one byte too many.
    private static func spelledLonger(_ der: [UInt8]) -> [UInt8] {
        [0x30, 0x83, 0x00] + Array(der[2...])
    }

    private static func isCertificate(_ der: [UInt8]) -> Bool {
        guard let certificate = Certificate(der: der) else { return false }
        return certificate.isVersion3
    }

    @Test("A certificate not encoded as DER is rejected, each of the three")
    func spelling() throws {
        let authority = try Self.authority()
        let plain = [authority.leafDER, authority.intermediateDER, authority.rootDER]
        #expect(plain.allSatisfy { $0.starts(with: [0x30, 0x82]) })
        for place in 0..<2 {
            var certificates = plain
            certificates[place] = Self.spelledLonger(plain[place])
            let header = Authority.header(algorithm: "ES256", certificates: certificates)
            let jws = try authority.sign(Self.payload, header: header)
            let verifier = EvidenceVerifier(
                roots: try Self.roots(authority), chainBudget: Self.budget())
            #expect(Self.code(verifier, jws) == .invalidCertificate)
            #expect(verifier.jws.cachedCounts == (headers: 0, chains: 0))
        }
        for der in plain {
            #expect(Self.isCertificate(der))
            #expect(!Self.isCertificate(Self.spelledLonger(der)))
        }
        #expect(throws: TrustedRootError.self) {
            try TrustedRoots.apple.adding(Self.spelledLonger(plain[2]))
        }
    }
}
