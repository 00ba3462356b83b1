import AppStore
import Foundation
import Intake
import LedgerTestSupport
import Projection
import Queries
import Simulator
import TestSupport
import Testing

@testable import Service
@testable import Signing

@Suite("A flood of unknown certificate chains after a restart")
struct RecentChainTests {
    private static let chain = MadeChain(id: "710000000000001")
    /// Its leaf was not issued by its intermediate, but looks as if it was.
    private static let stranger: Authority? = {
        var shape = AuthorityShape()
        shape.isLeafForged = true
        return try? Authority(shape: shape)
    }()

    private func body(_ delivery: MadeDelivery) throws -> [UInt8] {
        Array("{\"signedPayload\":\"\(try delivery.token())\"}".utf8)
    }

    private func host(
        _ place: TemporaryLedger, networks: [NetworkRange] = [],
        _ body: (LedgerHost) async throws -> Void
    ) async throws {
        let stranger = try #require(Self.stranger)
        let roots = try place.roots.adding(stranger.rootDER)
        var configuration = ServiceConfiguration(place.configuration)
        configuration.server.notificationNetworks = networks
        try await place.serve(configuration, roots: roots, body)
    }

    /// Spends the budget of uploads under the unknown certificate chain; it refills in a day.
    private func flood(_ host: LedgerHost) async throws {
        let stranger = try #require(Self.stranger)
        let transaction = Self.chain.transaction(0, signed: Self.chain.start)
        let token = Array(try stranger.sign(transaction.encoded()))
        let upload = Array(
            "{\"signedTransactionInfo\":\"\(String(decoding: token, as: UTF8.self))\"}".utf8)
        func refusal() async throws -> String? {
            do throws(IntakeRefusal) {
                _ = try await host.takeUpload(try UploadBody(upload))
                return nil
            } catch { return error.code }
        }
        let first = try await refusal()
        #expect(first == "invalidCertificate")
        let budget = try #require(host.uploads.verifier.jws.budget)
        let tomorrow = ContinuousClock.now + .seconds(86_400)
        while budget.take(now: tomorrow) {}
        let last = try await refusal()
        #expect(last == "tooManyUnknownChains")
    }

    @Test("Evidence under the certificate chains of the log's newest events is accepted at once")
    func known() async throws {
        let place = try TemporaryLedger()
        try await host(place) { host in
            _ = try await host.takeNotification(try body(Self.chain.bought()))
        }
        try await host(place) { host in
            #expect(host.notifications.verifier.jws.cachedCounts == (headers: 1, chains: 1))
            try await flood(host)
            let receipt = try await host.takeNotification(try body(Self.chain.renewed(1)))
            #expect(receipt.position == 2)
        }
    }

    @Test("A flood does not affect an audit, whose log has a certificate chain that is not known")
    func audited() async throws {
        let place = try TemporaryLedger()
        try await host(place) { host in
            try await flood(host)
            let served = try host.ledger(.production)
            let other = EvidenceVerifier(roots: place.roots)
            let summary = try await Ingest(
                ledger: served.ledger, apps: place.configuration.apps, verifier: other
            ) { TemporaryLedger.end }
            .run(paths: [
                try place.directory.write(
                    [try Self.chain.bought().line()].inLines(), to: "input.ndjson")
            ])
            #expect(summary.appended == 1)
            let order = CommandIntake.Order(
                actor: "sara", tokenName: nil, reason: "r", key: "audit")
            _ = try await host.startAudit(withSignatures: true, order, .production)
            while try await host.audit(.production).running != nil { await Task.yield() }
            guard case .finished(let found) = try await host.audit(.production).last?.state else {
                Issue.record("The audit did not finish.")
                return
            }
            #expect(found.report.isSound && found.report.signaturesVerified == 1)
        }
    }

    @Test(
        "With notification networks set, notifications under an unknown certificate chain are, too")
    func networks() async throws {
        let networks = [try #require(NetworkRange("17.0.0.0/8"))]
        try await host(try TemporaryLedger(), networks: networks) { host in
            #expect(host.notifications.verifier.jws.cachedCounts == (headers: 0, chains: 0))
            try await flood(host)
            let receipt = try await host.takeNotification(try body(Self.chain.bought()))
            #expect(receipt.position == 1)
            // Certificate chains verified by one intake are known to the other.
            #expect(host.uploads.verifier.jws.cachedCounts == (headers: 1, chains: 1))
        }
    }

    @Test("Events that do not verify add no certificate chain")
    func unverified() async throws {
        let place = try TemporaryLedger()
        try await host(place) { host in
            _ = try await host.takeNotification(try body(Self.chain.bought()))
        }
        try await place.ledger { ledger in
            let verifier = EvidenceVerifier(roots: .apple, chainBudget: CertificateChainBudget())
            await RecentChains(ledger).learn(verifier)
            #expect(verifier.jws.cachedCounts == (headers: 0, chains: 0))
        }
    }
}
