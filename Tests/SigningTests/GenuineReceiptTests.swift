import AppStore
import Foundation
import TestSupport
import Testing

@testable import Signing

@Suite("Published receipts", Fixtures.condition)
struct GenuineReceiptTests {
    private let verifier = ReceiptVerifier()

    @Test("The folder has the expected files")
    func present() {
        #expect(ReceiptFixtures.labelled("APPLE_VALID").count == 19)
        #expect(ReceiptFixtures.labelled("TEST_CA").count == 5)
        #expect(ReceiptFixtures.labelled("XCODE").count == 3)
        #expect(ReceiptFixtures.manifest.count == 27)
    }

    @Test(
        "A genuine receipt verifies at its own date and matches its record",
        arguments: ReceiptFixtures.labelled("APPLE_VALID"))
    func genuine(_ entry: ReceiptFixtures.Entry) throws {
        let text = try entry.bytes()
        let verified = try verifier.verify(text, receivedAt: Timestamp(milliseconds: 0))
        #expect(verified.trust == .apple)
        #expect(verified.rootFingerprint == TrustedRoots.appleIncRoot)
        #expect(verified.effectiveDate == verified.receipt.creationDate)
        #expect(Int64(verified.bytes.count) == entry.record["der_bytes"]?.int64)
        #expect(Int64(verified.payloadBytes.count) == entry.record["content_bytes"]?.int64)
        #expect(verified.chain != nil)
        let envelope = try ReceiptEnvelope(parsing: verified.bytes)
        let recorded = try #require(entry.record["certs"]?.array).map { $0["sha256"]?.string }
        #expect(Set(envelope.certificates.map { SHA256.hash($0).hexadecimal }) == Set(recorded))
        let digest: ReceiptDigest = entry.record["digest"]?.string == "sha1" ? .sha1 : .sha256
        #expect(envelope.digest == digest)
        try ReceiptComparison.compare(verified.receipt, with: entry.record)
        // Binary and text are one receipt, and the second verification uses the cached chain.
        let again = try verifier.verify(verified.bytes, receivedAt: Timestamp(milliseconds: 0))
        #expect(again.receipt == verified.receipt)
        #expect(again.bytes == verified.bytes)
        #expect(verifier.cachedCount == 1)
    }

    @Test(
        "A receipt of another authority is rejected, but can be decoded",
        arguments: ReceiptFixtures.labelled("TEST_CA"))
    func foreign(_ entry: ReceiptFixtures.Entry) throws {
        let bytes = try entry.bytes()
        #expect(
            Trial.code { _ = try verifier.verify(bytes, receivedAt: Trial.now) } == .untrustedRoot)
        try ReceiptComparison.compare(
            try ReceiptVerifier.readUnverified(bytes), with: entry.record)
    }

    @Test(
        "Xcode's receipts are accepted only if Xcode is allowed, and match their record",
        arguments: ReceiptFixtures.labelled("XCODE"))
    func xcode(_ entry: ReceiptFixtures.Entry) throws {
        let bytes = try entry.bytes()
        #expect(
            Trial.code { _ = try verifier.verify(bytes, receivedAt: Trial.now) }
                == .invalidChainLength)
        let other = ReceiptVerifier(allowedLocalEnvironments: [.localTesting, .production])
        #expect(
            Trial.code { _ = try other.verify(bytes, receivedAt: Trial.now) } == .invalidChainLength
        )
        let local = ReceiptVerifier(allowedLocalEnvironments: [.xcode])
        let verified = try local.verify(bytes, receivedAt: Trial.now)
        #expect(verified.trust == .local)
        #expect(verified.rootFingerprint == nil)
        #expect(verified.receipt.environment == .xcode)
        try ReceiptComparison.compare(verified.receipt, with: entry.record)
        #expect(verified.receipt.inAppPurchases.allSatisfy { $0.transactionId?.rawValue == "0" })
        // Local certificates are not cached.
        #expect(local.cachedCount == 0)
    }

    @Test("The two receipts of Apple's library are Xcode's")
    func library() throws {
        let local = ReceiptVerifier(allowedLocalEnvironments: [.xcode])
        let empty = try local.verify(
            try Fixtures.bytes("apple-library/xcode/xcode-app-receipt-empty"),
            receivedAt: Trial.now)
        #expect(empty.receipt.inAppPurchases.isEmpty)
        #expect(empty.receipt.originalTransactionIds.isEmpty)
        let one = try local.verify(
            try Fixtures.bytes("apple-library/xcode/xcode-app-receipt-with-transaction"),
            receivedAt: Trial.now)
        // Xcode's purchases all have the id "0": no chain.
        #expect(one.receipt.originalTransactionIds.isEmpty)
        #expect(one.receipt.inAppPurchases.map(\.productId) == [ProductId("pass.premium")])
    }

    @Test("A transaction receipt of iOS 6 has its id and nothing else")
    func transactionReceipt() throws {
        let bytes = try Fixtures.bytes("apple-library/mock_signed_data/legacyTransaction")
        let receipt = try #require(ReceiptForm.transactionReceipt(bytes))
        #expect(receipt.transactionId == TransactionId("33993399"))
        #expect(receipt.originalTransactionId == nil)
        #expect(receipt.bundleId == nil)
        #expect(
            Trial.code { _ = try verifier.verify(bytes, receivedAt: Trial.now) }
                == .malformedReceipt)
    }

    @Test("The roots of receipts and JWS differ")
    func roots() throws {
        #expect(ReceiptVerifier().roots.fingerprints == [TrustedRoots.appleIncRoot])
        let root = try Fixtures.bytes("certs/AppleIncRootCertificate.der")
        #expect(SHA256.hash(root) == TrustedRoots.appleIncRoot)
        #expect(TrustedRoots.isApple(TrustedRoots.appleIncRoot))
        // The root of receipts signs no JWS, and vice versa.
        #expect(!TrustedRoots.apple.contains(TrustedRoots.appleIncRoot))
        #expect(!TrustedRoots.apple.forReceipts.contains(TrustedRoots.appleRootG3))
    }
}
