import AppStore
import Foundation
import Intake
import Ledger
import LedgerStore
import Projection
import Queries
import SQLiteStore
import Signing
import Simulator
import Testing

/// Findings of hostile reviews of the running ledger: each was a defect once.
@Suite("Reviews")
struct ReviewTests {
    private let chain = MadeChain(id: "590000000000002")
    private let foreign = MadeChain(id: "590000000000001", bundleId: "com.example.other")

    @Test("Evidence that found no room in quarantine is counted and reported")
    func notKept() async throws {
        let ledger = try TemporaryLedger()
        let lines = try (0...QuarantineLimits.foreignCountPerBundle).map { index in
            let chain = MadeChain(
                id: String(590_000_000_100_000 + index), bundleId: foreign.bundleId)
            return try chain.bought().line()
        }
        let summary = try await ledger.ingest(lines)
        #expect(summary.quarantined == Int64(lines.count))
        #expect(summary.notKept == 1)
        #expect(summary.errors.last?.message.contains("ingest this again") == true)
    }

    @Test("A body of more pieces than the limit is refused whole; one at the limit is read")
    func pieces() async throws {
        let ledger = try TemporaryLedger()
        for (count, read) in [(1_000, 1_000), (1_001, 1)] {
            let items = Array(repeating: "0", count: count).joined(separator: ",")
            let summary = try await ledger.ingest([
                Array(#"{"signedTransactions":[\#(items)]}"#.utf8)
            ])
            #expect(summary.read == Int64(read))
            #expect(summary.rejected == Int64(read))
        }
    }

    @Test("Events from quarantine count as received when they were first delivered")
    func firstDelivery() async throws {
        var ledger = try TemporaryLedger()
        let delivered = ledger.now
        _ = try await ledger.ingest([Array(try foreign.bought().token().utf8)])
        ledger.now = delivered.advanced(byMilliseconds: 86_400_000)
        ledger.configuration.apps.append(
            Configuration.App(bundleId: BundleId(foreign.bundleId)))
        let (apps, verifier) = (ledger.configuration.apps, ledger.verifier)
        let summary = try await ledger.ledger {
            try await Quarantine(ledger: $0).retry(apps: apps, verifier: verifier)
        }
        #expect(summary.appended == 1)
        let event = try #require(try await ledger.exportLines(.events).first)
        #expect(event["receivedAt"]?.string == delivered.rfc3339)
        #expect(event["receivedAtClaimed"]?.bool == false)
    }

    @Test("Genuine evidence of a configured app is kept though this version cannot decode it")
    func undecodable() async throws {
        let ledger = try TemporaryLedger()
        let lines = try (0...QuarantineLimits.foreignCountPerBundle).map { index in
            let payload = """
                {"notificationType":"SUBSCRIBED","notificationUUID":"u\(index)","signedDate":"soon",
                "data":{"bundleId":"\(chain.bundleId)","environment":"Production"}}
                """
            return try TestAuthority.shared.sign(Array(payload.utf8))
        }
        let summary = try await ledger.ingest(lines)
        #expect(summary.rejected == Int64(lines.count))
        #expect(summary.errors.allSatisfy { $0.code == "undecodablePayload" })
        let items = try await ledger.ledger { try await Quarantine(ledger: $0).items() }
        #expect(items.count == lines.count)
        #expect(items.allSatisfy { $0.standing == .genuineConfigured })
    }

    @Test("One transactionId of two apps is no conflict and no contradiction")
    func twoApps() async throws {
        var ledger = try TemporaryLedger()
        ledger.configuration.apps.append(
            Configuration.App(bundleId: BundleId(foreign.bundleId)))
        var twin = chain
        twin.bundleId = foreign.bundleId
        let signed = chain.start.advanced(byMilliseconds: 1_000)
        let summary = try await ledger.ingest(
            [chain, twin].map { chain in
                MadeDelivery(
                    receivedAt: signed, evidence: .transaction(chain.transaction(0, signed: signed))
                )
            })
        #expect(summary.appended == 2)
        #expect(summary.conflicts == 0)
        let shown = try await ledger.exportLines(.subscriptions)
        #expect(shown.count == 2)
        #expect(shown.allSatisfy { $0["notices"]?.array?.isEmpty == true })
    }

    @Test("Derived data of another log is rebuilt, with a remark")
    func divergence() async throws {
        let ledger = try TemporaryLedger()
        let long = try await ledger.ingest(chain.life)
        try await ledger.session { #expect($0.remarks.isEmpty) }
        let other = try TemporaryLedger()
        _ = try await other.ingest([chain.bought()])
        let names = ["", "-wal", "-shm"].map { EventLog.fileName + $0 }
        try FileDamage.remove([EventLog.fileName], in: ledger.environmentDirectory)
        // Nothing is appended to a log recreated in place of a lost one.
        await #expect(throws: StoreError(.fileReplaced, reason: "", remedy: "")) {
            try await ledger.ingest([chain.bought()])
        }
        for name in names {
            try? FileManager.default.moveItem(
                atPath: "\(other.environmentDirectory)/\(name)",
                toPath: "\(ledger.environmentDirectory)/\(name)")
        }
        let report = try await audit(ledger)
        #expect(report.log.isSound)
        #expect(report.projectionsMatch == false)
        #expect(!report.isSound)
        try await ledger.session { session in
            #expect(session.remarks.contains { $0.contains("position \(long.position)") })
        }
        #expect(try await audit(ledger).isSound)
        try await ledger.session { #expect($0.remarks.isEmpty) }
    }

    private func audit(_ ledger: TemporaryLedger) async throws -> Audit.Report {
        let log = try await EventLog.open(directory: ledger.environmentDirectory)
        let report = try await Audit(log: log, directory: ledger.environmentDirectory)
            .verify(verifier: nil)
        await log.close()
        return report
    }
}
