import AppStore
import TestSupport
import Testing

@testable import Signing

@Suite("Data that Apple did not sign", Fixtures.condition)
struct RefusedDataTests {
    private let verifier = EvidenceVerifier()

    /// The fault of a file, under Apple's root alone. Two samples have no certificates: one has two
    /// segments, the other two strings instead of certificates.
    private func expected(_ entry: Fixtures.Entry) -> VerificationCode {
        switch entry.label {
        case "APPLE_CHAIN_BAD_SIG": .signatureMismatch
        case "APPLE_CHAIN_BROKEN": .invalidCertificate
        case "XCODE": .invalidChainLength
        case _ where entry.file.hasPrefix("110"): .malformedJWS
        case _ where entry.file.hasPrefix("111"): .invalidChainLength
        default: .untrustedRoot
        }
    }

    @Test(
        "Each is rejected for its own reason",
        arguments: Fixtures.labelled(
            "APPLE_CHAIN_BAD_SIG", "APPLE_CHAIN_BROKEN", "TEST_CA", "XCODE"))
    func refused(entry: Fixtures.Entry) throws {
        let jws = try entry.jws()
        let error = Trial.error { _ = try verifier.verifyAny(jws, receivedAt: Trial.now) }
        #expect(error == VerificationError(expected(entry), part: .outer, reason: ""))
        #expect(error?.isRetryable == false)
    }

    @Test(
        "Apple's published mock data is rejected under Apple's root",
        arguments: [
            ("legacyTransaction", VerificationCode.malformedJWS),
            ("missingX5CHeaderClaim", .invalidChainLength),
            ("renewalInfo", .untrustedRoot), ("testNotification", .untrustedRoot),
            ("transactionInfo", .untrustedRoot), ("wrongBundleId", .untrustedRoot),
        ])
    func mockData(name: String, code: VerificationCode) throws {
        let jws = try Fixtures.jws("apple-library/mock_signed_data/" + name)
        #expect(Trial.code { _ = try verifier.verifyAny(jws, receivedAt: Trial.now) } == code)
    }

    @Test(
        "Adversarial JWS match their manifest under their own root, and fail under Apple's",
        arguments: [
            ("transaction", "jws-root", nil),
            ("transaction-no-leaf-oid", "jws-no-leaf-oid-root", .missingAppleMarker),
            (
                "transaction-no-intermediate-oid", "jws-no-intermediate-oid-root",
                .missingAppleMarker
            ),
            ("app-transaction", "jws-root", nil), ("app-transaction-production", "jws-root", nil),
            ("expired-cert-fresh", "jws-expired-root", .certificateNotValidAtSigning),
            ("expired-cert-historical", "jws-expired-root", nil),
            ("transaction", "jws-expired-root", .untrustedRoot),
        ] as [(String, String, VerificationCode?)])
    func adversarialRoots(name: String, root: String, code: VerificationCode?) throws {
        let roots = try TrustedRoots.apple.adding(Fixtures.bytes("adversarial/\(root).der"))
        let jws = try Fixtures.jws("adversarial/\(name).jws")
        #expect(
            Trial.code { _ = try verifier.verifyAny(jws, receivedAt: Trial.now) }
                == .untrustedRoot)
        let trusting = EvidenceVerifier(roots: roots)
        #expect(Trial.code { _ = try trusting.verifyAny(jws, receivedAt: Trial.now) } == code)
        guard code == nil else { return }
        switch try trusting.verifyAny(jws, receivedAt: Trial.now) {
        case .transaction(let verified):
            #expect(verified.trust != .apple)
            #expect(verified.rootFingerprint != nil)
        case .appTransaction(let verified): #expect(verified.trust != .apple)
        case .notification: Issue.record("there is no notification here")
        }
    }

    @Test(
        "Xcode's data is accepted only where Xcode is allowed",
        arguments: Fixtures.labelled("XCODE"))
    func xcode(entry: Fixtures.Entry) throws {
        let jws = try entry.jws()
        let allowed = EvidenceVerifier(allowedLocalEnvironments: [.xcode])
        let other = EvidenceVerifier(allowedLocalEnvironments: [.localTesting])
        let useless = EvidenceVerifier(allowedLocalEnvironments: [.production, .sandbox])
        func verify(_ verifier: EvidenceVerifier) throws {
            if entry.what == "renewal" {
                let verified = try verifier.verifyRenewal(jws, fallbackDate: Trial.now)
                #expect(verified.trust == .local)
            } else {
                _ = try verifier.verifyAny(jws, receivedAt: Trial.now)
            }
        }
        #expect(Trial.code { try verify(allowed) } == nil)
        #expect(Trial.code { try verify(other) } == .invalidChainLength)
        #expect(Trial.code { try verify(useless) } == .invalidChainLength)
        #expect(Trial.code { try verify(EvidenceVerifier()) } == .invalidChainLength)
    }
}
