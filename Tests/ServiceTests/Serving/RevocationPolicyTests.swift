import AppStore
import AppStoreAPI
import LedgerStore
import LedgerTestSupport
import SQLiteStore
import Signing
import Simulator
import TestSupport
import Testing

@testable import Intake
@testable import Projection
@testable import Service

/// Live intake under each policy, against the authority's own responder.
@Suite("Revoked certificates in live intake")
struct RevocationPolicyTests {
    private static let chain = MadeChain(id: "720000000000001")
    private let responder = TestResponder()

    private struct Observer: ServingObserver {
        let responder: TestResponder

        func learned(_ finding: RevocationChecks.Finding) { responder.note(finding) }
    }

    private func body(_ period: Int) throws -> [UInt8] {
        let delivery = period == 0 ? Self.chain.bought() : Self.chain.renewed(period)
        return Array("{\"signedPayload\":\"\(try delivery.token())\"}".utf8)
    }

    private func host(
        _ policy: RevocationPolicy, _ place: TemporaryLedger? = nil, isReachable: Bool = true,
        _ body: (LedgerHost) async throws -> Void
    ) async throws {
        var place = try place ?? TemporaryLedger()
        place.configuration.verification.revocation = policy
        try await place.serve(
            responders: isReachable ? OCSPTransport(responder) : nil,
            observer: Observer(responder: responder), clock: { [responder] in responder.now }, body)
    }

    private func refusal(_ host: LedgerHost, _ period: Int) async throws -> IntakeRefusal? {
        await refusal(host, try body(period))
    }

    private func refusal(_ host: LedgerHost, _ body: [UInt8]) async -> IntakeRefusal? {
        do throws(IntakeRefusal) {
            _ = try await host.takeNotification(body)
            return nil
        } catch { return error }
    }

    private func position(_ host: LedgerHost) async throws -> Int64 {
        try await host.ledger(.production).ledger.log.head().position
    }

    private func kept(_ host: LedgerHost) async throws -> [QuarantineItem] {
        try await Quarantine(ledger: host.ledger(.production).ledger).items()
    }

    /// `report` asks while the delivery is answered: the findings come later.
    private func awaitFindings(_ count: Int) async throws {
        for _ in 0..<3_000 where responder.outcomes.count < count {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(responder.outcomes.count == count)
    }

    // MARK: Off

    @Test("Off asks nothing")
    func off() async throws {
        responder.set { $0.leaf = .revoked }
        try await host(.off) { (host: LedgerHost) async throws in
            #expect(host.revocation == nil)
            #expect(try await refusal(host, 0) == nil)
            #expect(try await position(host) == 1)
        }
        #expect(responder.requestedCount == 0)
    }

    // MARK: Require

    @Test("A revoked leaf or intermediate: to be sent again, and a copy kept in bounded room")
    func revoked() async throws {
        for isLeaf in [true, false] {
            responder.set {
                $0.leaf = isLeaf ? .revoked : .good
                $0.intermediate = isLeaf ? .good : .revoked
            }
            try await host(.require) { (host: LedgerHost) async throws in
                for period in 0..<3 {
                    let refusal = try await refusal(host, period)
                    #expect(refusal?.code == "certificateRevoked")
                    #expect(refusal?.standing == .notAcceptable)
                    #expect(refusal?.isKept == true)
                    #expect(refusal?.bundleId?.rawValue == MadeChain.app)
                }
                #expect(try await position(host) == 0)
                let items = try await kept(host)
                #expect(items.map(\.code) == Array(repeating: "certificateRevoked", count: 3))
                #expect(Set(items.map(\.standing)) == [.genuineForeign])
            }
        }
        // One finding for each of the two services, though three deliveries came to each.
        #expect(responder.outcomes == [.revoked, .revoked])
    }

    @Test("A status that cannot be learnt: to be sent again, no copy, and taken in once it is good")
    func unlearnable() async throws {
        let manners = TestResponder.Manner.allCases.filter { $0 != .answers }
        try await host(.require) { (host: LedgerHost) async throws in
            for (number, manner) in manners.enumerated() {
                responder.set { $0.manner = manner }
                responder.pass(milliseconds: RevocationChecks.unknownLifetimeMilliseconds)
                for _ in 0..<2 {
                    let refusal = try await refusal(host, 0)
                    #expect(refusal?.code == "revocationUnknown", "\(manner)")
                    #expect(refusal?.standing == .unavailable, "\(manner)")
                    #expect(refusal?.isKept == false, "\(manner)")
                }
                #expect(responder.requestedCount == 2 * (number + 1), "\(manner)")
            }
            #expect(try await kept(host).isEmpty)
            #expect(try await position(host) == 0)
            responder.set { $0.manner = .answers }
            responder.pass(milliseconds: RevocationChecks.unknownLifetimeMilliseconds - 1)
            #expect(try await refusal(host, 0)?.code == "revocationUnknown")
            responder.pass(milliseconds: 1)
            #expect(try await refusal(host, 0) == nil)
            #expect(try await position(host) == 1)
        }
        let unknown = manners.map { _ in RevocationChecks.Outcome.unknown }
        #expect(responder.outcomes == unknown + [.good])
    }

    @Test("A responder that does not know the certificate says nothing good")
    func unknown() async throws {
        responder.set { $0.leaf = .unknown("") }
        try await host(.require) { (host: LedgerHost) async throws in
            #expect(try await refusal(host, 0)?.code == "revocationUnknown")
        }
    }

    @Test("Without a way to responders nothing is learnt, and nothing is accepted unseen")
    func unreachable() async throws {
        try await host(.require, isReachable: false) { (host: LedgerHost) async throws in
            #expect(try await refusal(host, 0)?.code == "revocationUnknown")
        }
        #expect(responder.requestedCount == 0)
    }

    @Test("Good: many events, one question for each certificate, until the answer is too old")
    func good() async throws {
        try await host(.require) { (host: LedgerHost) async throws in
            for period in 0..<4 { #expect(try await refusal(host, period) == nil) }
            #expect(responder.requestedCount == 2)
            responder.pass(milliseconds: RevocationChecks.answerLifetimeMilliseconds - 1)
            #expect(try await refusal(host, 4) == nil)
            #expect(responder.requestedCount == 2)
            responder.pass(milliseconds: 1)
            #expect(try await refusal(host, 5) == nil)
            #expect(responder.requestedCount == 4)
            #expect(try await position(host) == 6)
        }
    }

    @Test("Deliveries that come together wait for the same question")
    func together() async throws {
        try await host(.require) { (host: LedgerHost) async throws in
            let bodies = try (0..<8).map { try body($0) }
            await withTaskGroup(of: Bool.self) { group in
                for body in bodies {
                    group.addTask { (try? await host.takeNotification(body)) != nil }
                }
                for await isTaken in group { #expect(isTaken) }
            }
            #expect(responder.requestedCount == 2)
            #expect(try await position(host) == 8)
        }
    }

    @Test("Uploads go by the same policy and the same answers")
    func uploads() async throws {
        responder.set { $0.leaf = .revoked }
        let token = try TestAuthority.shared.sign(
            Self.chain.transaction(0, signed: Self.chain.start).encoded())
        let upload = Array(
            "{\"signedTransactionInfo\":\"\(String(decoding: token, as: UTF8.self))\"}".utf8)
        try await host(.require) { (host: LedgerHost) async throws in
            #expect(try await refusal(host, 0)?.code == "certificateRevoked")
            await #expect(throws: IntakeRefusal.self) {
                _ = try await host.takeUpload(try UploadBody(upload))
            }
            // Of the leaf alone: revoked is revoked.
            #expect(responder.requestedCount == 1)
            #expect(try await position(host) == 0)
        }
    }

    // MARK: Report

    @Test(
        "Report takes everything in, and has each certificate chain logged once",
        arguments: [RevocationChecks.Outcome.revoked, .unknown])
    func report(outcome: RevocationChecks.Outcome) async throws {
        responder.set { state in
            if outcome == .revoked { state.leaf = .revoked } else { state.manner = .silent }
        }
        try await host(.report) { (host: LedgerHost) async throws in
            for period in 0..<3 { #expect(try await refusal(host, period) == nil) }
            try await awaitFindings(1)
            responder.pass(milliseconds: RevocationChecks.answerLifetimeMilliseconds)
            #expect(try await refusal(host, 3) == nil)
            try await awaitFindings(2)
            #expect(try await position(host) == 4)
            #expect(try await kept(host).isEmpty)
        }
        #expect(responder.outcomes == [outcome, outcome])
        #expect(responder.news == [outcome])
    }

    @Test("A good certificate chain is no news")
    func reportGood() async throws {
        try await host(.report) { (host: LedgerHost) async throws in
            #expect(try await refusal(host, 0) == nil)
            try await awaitFindings(1)
        }
        #expect(responder.outcomes == [.good])
        #expect(responder.news == [])
    }

    // MARK: Stored evidence

    @Test("What is in the log asks nothing: repeated, verified again, rebuilt, after a restart")
    func stored() async throws {
        let place = try TemporaryLedger()
        let bodies = try (0..<3).map { try body($0) }
        try await host(.require, place) { (host: LedgerHost) async throws in
            for body in bodies.prefix(2) { #expect(await refusal(host, body) == nil) }
        }
        #expect(responder.requestedCount == 2)
        responder.set { $0.leaf = .revoked }
        responder.pass(milliseconds: RevocationChecks.answerLifetimeMilliseconds)
        for policy in [RevocationPolicy.report, .require] {
            // The host verifies the newest events again when it is opened.
            try await host(policy, place) { (host: LedgerHost) async throws in
                for body in bodies.prefix(2) { #expect(await refusal(host, body) == nil) }
                #expect(try await position(host) == 2)
            }
        }
        #expect(try await place.audit(by: place.verifier).signaturesVerified == 2)
        try await place.session { #expect($0.head == 2) }
        #expect(responder.requestedCount == 2)
        // Only something new is asked about.
        try await host(.require, place) { (host: LedgerHost) async throws in
            #expect(await refusal(host, bodies[2])?.code == "certificateRevoked")
            #expect(await refusal(host, bodies[1]) == nil)
        }
        #expect(responder.requestedCount == 3)
    }
}
