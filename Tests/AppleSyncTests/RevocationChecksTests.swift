import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Simulator
import Synchronization
import Testing

@testable import AppleSync
@testable import Intake
@testable import Projection
@testable import Signing

/// What is remembered of certificate chains, and what Apple's answers and files come to.
@Suite("Revocation checks")
struct RevocationChecksTests {
    private static let chain = MadeChain(id: "730000000000001")
    private let responder = TestResponder()

    /// The certificate chain of an authority.
    private func chain(_ authority: Authority) throws -> VerifiedCertificateChain {
        let verifier = JWSVerifier(roots: try TrustedRoots.apple.adding(authority.rootDER))
        let token = try authority.sign(
            Self.chain.transaction(0, signed: Self.chain.start).encoded())
        return try #require(try verifier.verify(token).chain)
    }

    /// One more than are remembered, made once for all tests.
    private static let chains = Result {
        try (0...RevocationChecks.capacity).map { _ in
            try RevocationChecksTests().chain(TestAuthority.shared.rotatedLeaf())
        }
    }

    private func code(
        _ checks: RevocationChecks?, _ chains: [VerifiedCertificateChain], isStored: Bool = false
    ) async -> VerificationCode? {
        do throws(VerificationError) {
            try await checks?.admit(chains) { isStored }
            return nil
        } catch { return error.code }
    }

    @Test("A certificate chain's fingerprint is its own, and the same each time")
    func fingerprints() throws {
        let authority = try Authority()
        let (one, again) = (try chain(authority), try chain(authority))
        let rotated = try chain(authority.rotatedLeaf())
        #expect(one.fingerprint == again.fingerprint)
        #expect(one.fingerprint != rotated.fingerprint)
    }

    @Test("Evidence without a certificate chain asks nothing")
    func none() async {
        #expect(await code(responder.checks(.require), []) == nil)
        #expect(responder.requestedCount == 0)
    }

    @Test("Revoked outweighs unknown, whichever comes first")
    func several() async throws {
        let (good, other) = (
            try chain(TestAuthority.shared), try chain(TestAuthority.shared.rotatedLeaf())
        )
        let checks = responder.checks(.require)
        responder.set { $0.leaf = .revoked }
        #expect(await code(checks, [good]) == .certificateRevoked)
        responder.set { $0.manner = .silent }
        #expect(await code(checks, [other]) == .revocationUnknown)
        #expect(await code(checks, [good, other]) == .certificateRevoked)
        #expect(await code(checks, [other, good]) == .certificateRevoked)
    }

    @Test("A clock that is set back ends an answer")
    func setBack() async throws {
        let (checks, chain) = (responder.checks(.require), try chain(TestAuthority.shared))
        #expect(await code(checks, [chain]) == nil)
        #expect(responder.requestedCount == 2)
        responder.pass(milliseconds: -1)
        #expect(await code(checks, [chain]) == nil)
        #expect(responder.requestedCount == 4)
    }

    @Test("What is in the log is neither asked about nor refused")
    func stored() async throws {
        let (checks, chain) = (responder.checks(.require), try chain(TestAuthority.shared))
        responder.set { $0.leaf = .revoked }
        #expect(await code(checks, [chain], isStored: true) == nil)
        #expect(responder.requestedCount == 0)
        #expect(await code(checks, [chain]) == .certificateRevoked)
        #expect(await code(checks, [chain], isStored: true) == nil)
        #expect(responder.requestedCount == 1)
    }

    @Test("So many certificate chains are remembered; the oldest answer goes first")
    func capacity() async throws {
        let chains = try Self.chains.get()
        let checks = try #require(responder.checks(.require))
        for chain in chains.dropLast() {
            #expect(await code(checks, [chain]) == nil)
            responder.pass(milliseconds: 1)
        }
        #expect(checks.rememberedCount == RevocationChecks.capacity)
        let count = responder.requestedCount
        #expect(await code(checks, [chains[0]]) == nil)
        #expect(responder.requestedCount == count)
        #expect(await code(checks, [chains[RevocationChecks.capacity]]) == nil)
        #expect(checks.rememberedCount == RevocationChecks.capacity)
        #expect(responder.requestedCount == count + 2)
        #expect(await code(checks, [chains[1]]) == nil)
        #expect(responder.requestedCount == count + 2)
        #expect(await code(checks, [chains[0]]) == nil)
        #expect(responder.requestedCount == count + 4)
    }

    /// Answers nothing before it is allowed to.
    private final class Waiting: RevocationTransport {
        struct Failure: Error {}
        private let isOver = Mutex(false)

        func end() { isOver.withLock { $0 = true } }

        func post(_ request: [UInt8], to address: String) async throws -> [UInt8] {
            while !isOver.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
            throw Failure()
        }
    }

    @Test(
        "While every place is being asked about, another certificate chain is unknown",
        arguments: [RevocationPolicy.report, .require])
    func busy(policy: RevocationPolicy) async throws {
        let (waiting, now) = (Waiting(), responder.now)
        let made = RevocationChecks(
            policy, transport: waiting, clock: { now }, report: { _ in })
        let checks = try #require(made)
        let chains = try Self.chains.get()
        await withTaskGroup(of: VerificationCode?.self) { group in
            for chain in chains.dropLast() { group.addTask { await code(checks, [chain]) } }
            while checks.rememberedCount < RevocationChecks.capacity { await Task.yield() }
            let last = await code(checks, [chains[RevocationChecks.capacity]])
            #expect(last == (policy == .require ? .revocationUnknown : nil))
            #expect(checks.rememberedCount == RevocationChecks.capacity)
            waiting.end()
            for await other in group { #expect(other == last) }
        }
    }

    // MARK: Apple's answers, and files

    /// The same bytes each time: signed again, it would be other evidence.
    private static let life = Result { try chain.life.map { try $0.line() } }

    private func take(
        _ lines: [[UInt8]], into ledger: EnvironmentLedger, _ place: TemporaryLedger
    ) async throws -> IngestSummary {
        try await Ingest(
            ledger: ledger, apps: place.configuration.apps, verifier: place.verifier,
            source: .history, revocation: responder.checks(.require)
        ) { responder.now }.run(lines: lines, input: "history")
    }

    @Test("Of Apple's answers, too, what is revoked stays out and is kept")
    func answersRevoked() async throws {
        let place = try TemporaryLedger()
        responder.set { $0.leaf = .revoked }
        try await place.ledger { (ledger: EnvironmentLedger) async throws in
            let summary = try await take(Self.life.get(), into: ledger, place)
            #expect((summary.appended, summary.quarantined) == (0, 4))
            #expect(Set(summary.errors.map(\.code)) == ["certificateRevoked"])
            let items = try await Quarantine(ledger: ledger).items()
            #expect(items.map(\.standing) == Array(repeating: .genuineForeign, count: 4))
            // Trying again does not go round the policy.
            let apps = place.configuration.apps
            let again = try await Quarantine(ledger: ledger).retry(
                apps: apps, verifier: place.verifier, revocation: responder.checks(.require))
            #expect((again.appended, again.quarantined) == (0, 4))
            #expect(try await Quarantine(ledger: ledger).items().count == 4)
        }
    }

    @Test("What could not be learnt of Apple's answers waits in quarantine until it can")
    func answersUnknown() async throws {
        let place = try TemporaryLedger()
        responder.set { $0.manner = .silent }
        try await place.ledger { (ledger: EnvironmentLedger) async throws in
            let summary = try await take(Self.life.get(), into: ledger, place)
            #expect((summary.appended, summary.rejected) == (0, 4))
            // The responder is left alone after it failed.
            #expect(responder.requestedCount == 2)
            let items = try await Quarantine(ledger: ledger).items()
            #expect(items.map(\.standing) == Array(repeating: .genuineConfigured, count: 4))
            #expect(Set(items.map(\.code)) == ["revocationUnknown"])
            responder.set { $0.manner = .answers }
            let again = try await Quarantine(ledger: ledger).retry(
                apps: place.configuration.apps, verifier: place.verifier,
                revocation: responder.checks(.require))
            #expect(again.appended == 4)
            #expect(try await Quarantine(ledger: ledger).items().isEmpty)
        }
    }

    @Test("Good answers are appended with one question; the same again, or a file, asks nothing")
    func answersGood() async throws {
        let place = try TemporaryLedger()
        try await place.ledger { (ledger: EnvironmentLedger) async throws in
            #expect(try await take(Self.life.get(), into: ledger, place).appended == 4)
            #expect(responder.requestedCount == 2)
            responder.set { $0.leaf = .revoked }
            #expect(try await take(Self.life.get(), into: ledger, place).duplicates == 4)
        }
        #expect(responder.requestedCount == 2)
        #expect(try await place.ingest([MadeChain(id: "730000000000002").bought()]).appended == 1)
        #expect(responder.requestedCount == 2)
    }
}
