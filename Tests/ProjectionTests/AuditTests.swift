import AppStore
import Foundation
import GRDB
import Intake
import Ledger
import LedgerTestSupport
import Queries
import Signing
import Simulator
import TestSupport
import Testing

@testable import LedgerStore
@testable import Projection
@testable import SQLiteStore

@Suite("Audits")
struct AuditTests {
    private let chain = MadeChain()

    private static let shared = SharedLedger { ledger in
        _ = try await ledger.ingest(MadeChain().life)
        try await ledger.session { try await $0.ledger.log.checkpoint() }
    }

    private func taken() async throws -> TemporaryLedger { try await Self.shared.copy() }

    @Test("An unchanged ledger is sound", arguments: [false, true])
    func sound(signatures: Bool) async throws {
        let ledger = try await taken()
        let report = try await ledger.audit(by: signatures ? ledger.verifier : nil)
        #expect(report.isSound)
        #expect(report.log.eventCount == 4)
        #expect(report.projectionsMatch == true)
        #expect(report.signaturesVerified == (signatures ? 4 : nil))
        #expect(report.log.head?.position == 4)
    }

    @Test("An empty ledger is sound")
    func empty() async throws {
        let ledger = try TemporaryLedger()
        let report = try await ledger.audit(by: ledger.verifier)
        #expect(report.isSound)
        #expect(report.log.eventCount == 0)
    }

    @Test(
        "A log in another environment's place is not sound, unless its evidence names none",
        arguments: [Environment.production, nil])
    func otherEnvironment(named: Environment?) async throws {
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest(MadeChain(environment: named).life)
        let log = try await EventLog.open(directory: ledger.environmentDirectory)
        let report = try await Audit(
            log: log, directory: ledger.environmentDirectory, environment: .sandbox
        ).verify(verifier: nil)
        await log.close()
        #expect(report.isSound == (named == nil))
        #expect(report.signatureFindings.map(\.position) == (named == nil ? [] : [1]))
        #expect(report.signatureFindings.allSatisfy { $0.code == "wrongEnvironment" })
        #expect(try await ledger.audit().isSound)
    }

    @Test(
        "The environment is read from the first 100 events", arguments: [(99, [100]), (100, [])])
    func environmentEvents(nameless: Int, findings: [Int64]) async throws {
        let ledger = try TemporaryLedger()
        try await ledger.ledger {
            let events = try (0..<nameless).map { try Sample.command("n\($0)", [0x30]) }
            _ = try await $0.log.append(events)
        }
        _ = try await ledger.ingest([chain.bought()])
        let log = try await EventLog.open(directory: ledger.environmentDirectory)
        let report = try await Audit(
            log: log, directory: ledger.environmentDirectory, environment: .sandbox
        ).verify(verifier: nil)
        await log.close()
        #expect(report.signatureFindings.map(\.position) == findings)
    }

    @Test(
        "Facts alone or projections alone from another log suffice for a finding",
        arguments: ["facts-\(Fact.decoderVersion).sqlite", "projections.sqlite"])
    func otherCheckpoint(link: String) async throws {
        let ledger = try await taken()
        try await ledger.session { #expect($0.head == 4) }
        let file = try DatabaseQueue(path: ledger.environmentDirectory + "/" + link)
        try change(file, "UPDATE checkpoint SET leaf_hash = zeroblob(32)")
        try file.close()
        let report = try await ledger.audit()
        #expect(report.log.isSound)
        #expect(report.projectionsMatch == false)
        #expect(!report.isSound)
    }

    @Test("A log that lacks the newest event that its node has seen is not sound")
    func seen() async throws {
        let ledger = try await taken()
        let newest = try await ledger.ledger { try await $0.log.event(at: 4) }
        for (position, isThere) in [(Int64(4), true), (5, false)] {
            let seen = ProjectionCursor(position: position, leafHash: newest?.event.leafHash)
            try NodeMemory(node: "node", ledger: "ledger", seen: seen)
                .write(to: ledger.environmentDirectory)
            let report = try await ledger.audit()
            #expect(report.projectionsMatch == isThere && report.isSound == isThere)
        }
    }

    private func change(_ file: DatabaseQueue, _ sql: String) throws {
        try file.write { try $0.execute(sql: sql) }
    }

    @Test("One flipped bit of the evidence fails its hash and its signature, and no other event's")
    func bitFlip() async throws {
        let ledger = try await taken()
        // One bit: D is 0x44, F is 0x46.
        let changed = try FileDamage.replace(
            #""notificationType":"EXPIRED""#, by: #""notificationType":"EXPIREF""#,
            in: ledger.environmentDirectory + "/log.sqlite")
        #expect(changed == 1)
        let report = try await ledger.audit(by: ledger.verifier)
        #expect(!report.isSound)
        #expect(report.log.findings.compactMap(\.position) == [4, 4])
        let codes = Set(report.log.findings.map(\.code))
        #expect(codes.contains(.evidenceHashMismatch))
        #expect(report.signatureFindings.map(\.position) == [4])
        #expect(report.signatureFindings.map(\.code) == ["signatureMismatch"])
        #expect(report.signaturesVerified == 3)
    }

    @Test("One bit of a stored header fails the hashes and the signatures of all that share it")
    func headerFlip() async throws {
        let ledger = try await taken()
        let path = ledger.environmentDirectory + "/log.sqlite"
        let first = try await ledger.session { try await $0.ledger.log.event(at: 1) }
        let token = try #require(try first?.evidence?.originalBytes())
        let header = Array(token.prefix { $0 != UInt8(ascii: ".") })
        let text = String(decoding: header, as: UTF8.self)
        for place in stride(from: 0, to: header.count, by: header.count / 8) + [header.count - 1] {
            var bytes = header
            bytes[place] ^= 1
            let flipped = String(decoding: bytes, as: UTF8.self)
            #expect(try FileDamage.replace(text, by: flipped, in: path) == 1)
            let report = try await ledger.audit(by: ledger.verifier)
            #expect(report.log.findings.contains { $0.code == .headerHashMismatch })
            #expect(report.signatureFindings.map(\.position) == [1, 2, 3, 4], "byte \(place)")
            try FileDamage.replace(flipped, by: text, in: path)
        }
        #expect(try await ledger.audit(by: ledger.verifier).isSound)
    }

    @Test("Without its trust root no signature verifies again")
    func missingRoot() async throws {
        var ledger = try await taken()
        ledger.roots = .apple
        let report = try await ledger.audit(by: ledger.verifier)
        #expect(report.log.isSound)
        #expect(!report.isSound)
        #expect(Set(report.signatureFindings.map(\.code)) == ["untrustedRoot"])
        #expect(report.signatureFindings.count == 4)
    }

    @Test("A tombstone is not a verified signature")
    func nothingSigned() async throws {
        let ledger = try await taken()
        let first = try await ledger.session { try await $0.ledger.log.event(at: 1) }
        let logged = try #require(first)
        let erased = LoggedEvent(event: logged.event, evidence: nil)
        let judge = Audit.Judge(verifier: ledger.verifier, environment: ledger.environment)
        #expect(Audit.check(logged, judge) == .verified)
        #expect(Audit.check(erased, judge) == .nothingSigned)
    }

    /// Makes the evidence of an event unreadable.
    private func spoil(_ type: String, in ledger: TemporaryLedger) throws {
        try FileDamage.spoil(
            6, before: #"{"notificationType":"\#(type)""#,
            in: ledger.environmentDirectory + "/log.sqlite")
    }

    private func derived(_ ledger: TemporaryLedger) throws -> [String] {
        try FileDamage.names(in: ledger.environmentDirectory)
            .filter { $0.hasPrefix("facts-") || $0.hasPrefix("projections") }
    }

    @Test("Unreadable evidence is a finding at its position, with and without derived data")
    func unreadable() async throws {
        let ledger = try await taken()
        try spoil("DID_RENEW", in: ledger)
        let derived = try derived(ledger)
        #expect(!derived.isEmpty)
        for isGone in [false, true] {
            if isGone { try FileDamage.remove(derived, in: ledger.environmentDirectory) }
            let report = try await ledger.audit(by: ledger.verifier)
            #expect(report.log.findings == [LogFinding(.evidenceUnreadable, at: 2)])
            #expect(report.signatureFindings.map(\.position) == [2])
            #expect(report.signaturesVerified == 3)
            #expect(report.projectionsMatch == true)
        }
        #expect(try self.derived(ledger).isEmpty, "an audit makes nothing")
    }

    @Test("Damaged projections do not prevent the audit of the log")
    func damagedProjections() async throws {
        let ledger = try await taken()
        let path = try await ledger.session { $0.projections.path }
        try Data(repeating: 0xA5, count: 20_000).write(to: URL(filePath: path))
        let report = try await ledger.audit(by: ledger.verifier)
        #expect(report.log.isSound)
        #expect(report.signaturesVerified == 4)
        #expect(report.projectionsMatch == nil)
        #expect(report.projectionsFailure?.isDamage == true)
    }

    @Test("One unreadable event stops no other chain: answers, rebuilds and intake continue")
    func otherChains() async throws {
        let other = MadeChain(id: "570000000000005")
        let ledger = try await taken()
        _ = try await ledger.ingest(other.life)
        let before = try await ledger.show(other.id)
        try await ledger.session { try await $0.ledger.log.checkpoint() }
        try spoil("EXPIRED", in: ledger)
        try FileDamage.remove(try derived(ledger), in: ledger.environmentDirectory)
        #expect(try await ledger.show(other.id) == before)
        let notices = try await ledger.show(chain.id)["notices"]?.array
        #expect(notices?.contains { $0["code"]?.string == "unreadable" } == true)
        try await ledger.session { session in
            let projector = try #require(session.projector)
            #expect(try await RebuildCheck(projector).run().differences.isEmpty)
        }
        let summary = try await ledger.ingest(chain.life + [other.renewed(3)])
        // Signed again, the bad event's delivery has nothing to be compared with: it is kept.
        #expect(summary.duplicates == 3)
        #expect(summary.conflicts == 1)
        #expect(summary.appended == 1)
        #expect(try await ledger.exportLines(.events).count == 10)
    }

    @Test("Every kind of evidence verifies again")
    func kinds() async throws {
        let ledger = try TemporaryLedger()
        let signed = chain.start.advanced(byMilliseconds: 60_000)
        let transaction = chain.transaction(0, signed: signed)
        let renewal = chain.renewal(0, signed: signed)
        let deliveries = [
            chain.bought(), MadeDelivery(receivedAt: signed, evidence: .transaction(transaction)),
            MadeDelivery(receivedAt: signed, evidence: .pair(transaction, renewal, nil)),
            MadeDelivery(receivedAt: signed, evidence: .pair(transaction, renewal, Raw(.active))),
        ]
        let app =
            #"{"receiptType":"Production","bundleId":"com.example.app","#
            + #""receiptCreationDate":1768046400000,"appTransactionId":"1"}"#
        let token = try TestAuthority.signer.sign(Array(app.utf8))
        let lines = try deliveries.map { try $0.line() } + [Array(token.utf8)]
        let summary = try await ledger.ingest(lines)
        #expect(summary.appended == 5)
        let report = try await ledger.audit(by: ledger.verifier)
        #expect(report.isSound)
        #expect(report.signaturesVerified == 5)
        let kinds = try await ledger.exportLines(.events).map { $0["kind"]?.string }
        #expect(
            kinds == [
                "notification", "transaction", "renewalPair", "renewalPair", "appTransaction",
            ])
    }
}
