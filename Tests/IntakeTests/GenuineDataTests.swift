import AppStore
import Foundation
import Intake
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import Signing
import TestSupport
import Testing

/// Every published JWS, ingested under Apple's root alone.
@Suite("Real data", Fixtures.condition)
struct GenuineDataTests {
    private static let files = Fixtures.manifest.map(\.file)

    /// A ledger with every app of the fixtures configured.
    private func ledger(apps: [String]? = nil) throws -> TemporaryLedger {
        let all = Set(Fixtures.manifest.compactMap(\.bundleId)).sorted()
        var ledger = try TemporaryLedger(environment: .sandbox, apps: apps ?? all)
        ledger.roots = .apple
        return ledger
    }

    /// The code of a refused file; nil when it is an event.
    private func expected(_ entry: Fixtures.Entry) -> String? {
        switch entry.label {
        case "APPLE_VALID", "APPLE_VALID_NO_SIGNEDDATE":
            ["notification-v2", "transaction", "app-transaction"].contains(entry.what)
                ? nil : "undecodablePayload"
        case "APPLE_CHAIN_BAD_SIG": "signatureMismatch"
        case "APPLE_CHAIN_BROKEN": "invalidCertificate"
        case "XCODE": "invalidChainLength"
        case _ where entry.file.hasPrefix("110"): "malformedJWS"
        case _ where entry.file.hasPrefix("111"): "invalidChainLength"
        default: "untrustedRoot"
        }
    }

    @Test(
        "Genuine evidence is appended and can be verified again, all else is refused for its reason"
    )
    func everything() async throws {
        let ledger = try ledger()
        let paths = GenuineDataTests.files.map { Fixtures.folder.appending(path: "jws/\($0)").path }
        let summary = try await ledger.ingest(paths: paths)
        let refused = Dictionary(
            uniqueKeysWithValues: summary.errors.map { ($0.input, $0.code) })
        for (entry, path) in zip(Fixtures.manifest, paths) {
            #expect(refused["\(path):1"] == expected(entry), "\(entry.file)")
        }
        let genuine = Fixtures.manifest.count { expected($0) == nil }
        #expect(genuine >= 30)
        #expect(summary.read == Int64(paths.count))
        #expect(summary.appended == Int64(genuine))
        #expect(summary.rejected == Int64(paths.count - genuine))
        #expect(summary.quarantined == 0)
        let again = try await ledger.ingest(paths: paths)
        #expect(again.appended == 0)
        #expect(again.duplicates == Int64(genuine))
        for event in try await ledger.exportLines(.events) {
            #expect(
                event["rootFingerprint"]?.string
                    == "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179")
        }
        let report = try await ledger.audit(by: ledger.verifier)
        #expect(report.isSound)
        #expect(report.signaturesVerified == summary.appended)
        #expect(report.log.eventCount == summary.appended)
    }

    private static let otherRoots = [
        ("apple-library/mock_signed_data/legacyTransaction", "malformedJWS"),
        ("apple-library/mock_signed_data/missingX5CHeaderClaim", "invalidChainLength"),
        ("apple-library/mock_signed_data/renewalInfo", "untrustedRoot"),
        ("apple-library/mock_signed_data/testNotification", "untrustedRoot"),
        ("apple-library/mock_signed_data/transactionInfo", "untrustedRoot"),
        ("apple-library/mock_signed_data/wrongBundleId", "untrustedRoot"),
        ("adversarial/transaction.jws", "untrustedRoot"),
        ("adversarial/transaction-no-leaf-oid.jws", "untrustedRoot"),
        ("adversarial/transaction-no-intermediate-oid.jws", "untrustedRoot"),
        ("adversarial/app-transaction.jws", "untrustedRoot"),
        ("adversarial/app-transaction-production.jws", "untrustedRoot"),
        ("adversarial/expired-cert-fresh.jws", "untrustedRoot"),
        ("adversarial/expired-cert-historical.jws", "untrustedRoot"),
    ]

    @Test("Third-party test data is refused for its reason")
    func otherRoots() async throws {
        let ledger = try ledger(apps: ["com.example", "com.example.app"])
        let paths = Self.otherRoots.map { Fixtures.folder.appending(path: $0.0).path }
        let summary = try await ledger.ingest(paths: paths)
        let found = summary.errors.map { error in
            "\(error.input.prefix { $0 != ":" }) \(error.code)"
        }
        #expect(found == zip(paths, Self.otherRoots).map { "\($0) \($1.1)" })
        #expect(summary.position == 0)
    }

    @Test("Evidence is exported unchanged")
    func evidence() async throws {
        let ledger = try ledger(apps: [Fixtures.subscriberApp])
        let tokens = try Fixtures.subscriber.map { try Fixtures.text($0) }
        _ = try await ledger.ingest(tokens.map { Array($0.utf8) })
        let lines = try await ledger.exportLines(.events) { $0.withEvidence = true }
        #expect(lines.map { $0["signedPayload"]?.string } == tokens)
    }
}
