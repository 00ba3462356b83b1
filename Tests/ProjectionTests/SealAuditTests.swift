import AppStore
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import TestSupport
import Testing

/// `audit verify --signatures` on version 1 notifications: verified with the shared secret where
/// available.
@Suite("Seals in the audit")
struct SealAuditTests {
    private static let chain = MadeChain()
    private let chain = SealAuditTests.chain

    private static let shared = SharedLedger { ledger in
        try ledger.share()
        _ = try await ledger.ingest([
            chain.notificationV1("INITIAL_BUY", through: 0, at: chain.start(0)),
            try chain.renewed(1).line(),
        ])
    }

    private func taken() async throws -> TemporaryLedger { try await Self.shared.copy() }

    private func audit(_ ledger: TemporaryLedger) async throws -> Audit.Report {
        try await ledger.audit(by: ledger.verifier, apps: ledger.configuration.apps)
    }

    @Test("With the secret the seal is verified like a signature")
    func verified() async throws {
        let report = try await audit(try await taken())
        #expect(report.isSound)
        #expect(report.signaturesVerified == 2)
        #expect(report.signaturesNotVerifiable == 0)
    }

    @Test(
        "Without it, or with another, it is counted as not verifiable here, and is not a finding",
        arguments: [nil, "fedcba9876543210fedcba9876543210"] as [String?])
    func notVerifiable(secret: String?) async throws {
        var ledger = try await taken()
        ledger.configuration.apps[0].sharedSecretFile = nil
        if let secret { try ledger.share(secret) }
        let report = try await audit(ledger)
        #expect(report.isSound)
        #expect(report.signaturesVerified == 1)
        #expect(report.signaturesNotVerifiable == 1)
    }

    @Test("An older secret in the file still verifies what was sealed with it")
    func rotated() async throws {
        var ledger = try await taken()
        try ledger.share("fedcba9876543210fedcba9876543210\n\(MadeChain.secret)")
        #expect(try await audit(ledger).signaturesVerified == 2)
    }

    @Test(
        "A body recorded as of another app than its secret is of, as by earlier releases, is found",
        arguments: [true, false])
    func anotherApp(isNamed: Bool) async throws {
        let other = BundleId("com.example.other")
        var ledger = try TemporaryLedger(apps: [MadeChain.app, other.rawValue])
        try ledger.share()
        let whole = String(
            decoding: chain.notificationV1("INITIAL_BUY", through: 0, at: chain.start(0)),
            as: UTF8.self)
        let body = isNamed ? whole : whole.replacing("\"bid\":\"\(MadeChain.app)\",", with: "")
        let preparation = EventPreparation(
            verifier: ledger.verifier, packer: EvidencePacker(), apps: ledger.configuration.apps,
            environment: .production, source: .webhook)
        let submission = Submission(
            form: .notificationV1(NotificationV1Body(Array(body.utf8))), input: "")
        guard case .event(var event, _) = preparation.prepare(submission, now: chain.start) else {
            Issue.record("It is refused.")
            return
        }
        event.attributes.bundleId = other
        try await ledger.ledger { [event] in _ = try await $0.log.append([event]) }
        let report = try await audit(ledger)
        #expect(report.log.isSound)
        #expect(report.signatureFindings.map(\.code) == ["wrongApp"])
    }

    @Test("A changed byte is found by the hash of the evidence, with the secret and without")
    func tampered() async throws {
        var ledger = try await taken()
        let count = try FileDamage.replace(
            "\"is_trial_period\":\"false\"", by: "\"is_trial_period\":\"fals3\"",
            in: ledger.environmentDirectory + "/log.sqlite")
        #expect(count > 0)
        #expect(!(try await audit(ledger).log.isSound))
        ledger.configuration.apps[0].sharedSecretFile = nil
        #expect(!(try await audit(ledger).log.isSound))
    }
}
