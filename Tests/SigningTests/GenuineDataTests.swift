import AppStore
import Foundation
import Simulator
import TestSupport
import Testing

@testable import Signing

@Suite("Genuine Apple data", Fixtures.condition)
struct GenuineDataTests {
    /// Long after every leaf in the fixtures has expired: the date of receipt must not matter.
    private let today = Timestamp(milliseconds: 4_000_000_000_000)
    private let verifier = EvidenceVerifier()

    @Test("The fixtures match their README")
    func manifestIsPresent() {
        #expect(Fixtures.labelled("APPLE_VALID").count >= 50)
        #expect(Fixtures.labelled("APPLE_VALID_NO_SIGNEDDATE").count == 3)
    }

    @Test(
        "Everything Apple signed is recognised by its payload and verifies at its own date",
        arguments: Fixtures.labelled("APPLE_VALID"))
    func verifies(entry: Fixtures.Entry) throws {
        let jws = try entry.jws()
        var kind = ""
        let code = Trial.code {
            switch try verifier.verifyAny(jws, receivedAt: today) {
            case .notification: kind = "notification-v2"
            case .transaction: kind = "transaction"
            case .appTransaction: kind = "none of these"
            }
        }
        #expect(entry.what == "renewal" ? code == .undecodablePayload : kind == entry.what)
        switch entry.what {
        case "notification-v2":
            let verified = try verifier.verifyNotification(jws, receivedAt: today)
            #expect(verified.trust == .apple)
            #expect(verified.effectiveDate == entry.signedDate)
            #expect(
                verified.payload.data?.signedTransactionInfo == nil || verified.transaction != nil)
            #expect(verified.payload.data?.signedRenewalInfo == nil || verified.renewal != nil)
        case "transaction":
            let verified = try verifier.verifyTransaction(jws, receivedAt: today)
            #expect(verified.effectiveDate == entry.signedDate)
            #expect(verified.rootFingerprint == TrustedRoots.appleRootG3)
        case "renewal":
            let verified = try verifier.verifyRenewal(jws, fallbackDate: today)
            #expect(verified.effectiveDate == entry.signedDate)
        default:
            Issue.record("a kind unknown to this test")
        }
    }

    @Test("A notification without signedDate is checked at the date of its parts")
    func withoutSignedDate() throws {
        let jws = try Fixtures.jws(
            "jws/090-APPLE_VALID_NO_SIGNEDDATE-notification-DID_RENEW.jws")
        let verified = try verifier.verifyNotification(jws, receivedAt: today)
        #expect(verified.payload.signedDate == nil)
        #expect(verified.effectiveDate == verified.transaction?.payload.signedDate)
    }

    @Test(
        "Signed null renewal infos verify only at their envelope's date",
        arguments: [
            "091-APPLE_VALID_NO_SIGNEDDATE-renewal-null-payload.jws",
            "092-APPLE_VALID_NO_SIGNEDDATE-renewal-null-payload.jws",
        ])
    func nullRenewals(file: String) throws {
        let jws = try Fixtures.jws("" + file)
        let signed = try CompactJWS(parsing: jws)
        #expect(signed.payload == Array("null".utf8))
        let chain = try #require(try verifier.jws.verify(jws).chain)
        let verified = try verifier.verifyRenewal(jws, fallbackDate: chain.window.from)
        #expect(verified.payload == nil)
        #expect(
            Trial.code { _ = try verifier.verifyRenewal(jws, fallbackDate: today) }
                == .certificateNotValidAtSigning)
        #expect(
            Trial.code { _ = try verifier.verifyAny(jws, receivedAt: today) }
                == .undecodablePayload)
    }

    @Test(
        "Every JWS is parsed and reassembled without loss",
        arguments: Fixtures.labelled("APPLE_VALID", "APPLE_VALID_NO_SIGNEDDATE", "XCODE"))
    func reassembly(entry: Fixtures.Entry) throws {
        let jws = try entry.jws()
        let parts = try CompactJWS(parsing: jws)
        #expect(parts.bytes == jws)
    }

    @Test("Apple's transaction and a renewal info of an added root are no pair, nor the reverse")
    func mixedPair() throws {
        // given: the same payloads, signed again
        let authority = try Authority()
        let verifier = EvidenceVerifier(roots: try TrustedRoots.apple.adding(authority.rootDER))
        let genuine = try ["050-transaction.jws", "075-renewal.jws"].map(Fixtures.jws)
        let minted = try genuine.map { try authority.sign(CompactJWS(parsing: $0).payload) }
        func error(_ transaction: [UInt8], _ renewal: [UInt8]) -> VerificationError? {
            Trial.error {
                _ = try verifier.verifyPair(
                    transaction: transaction, renewal: renewal, receivedAt: today)
            }
        }
        let mixed = VerificationError(
            .nestedPartInvalid, part: .renewal, reason: "", cause: .untrustedRoot)
        // then
        #expect(error(genuine[0], minted[1]) == mixed)
        #expect(error(minted[0], genuine[1]) == mixed)
        #expect(error(genuine[0], genuine[1]) == nil)
        #expect(error(minted[0], minted[1]) == nil)
    }
}
