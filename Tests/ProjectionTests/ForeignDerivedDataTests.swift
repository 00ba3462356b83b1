import AppStore
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import TestSupport
import Testing

@Suite("Derived data of another log")
struct ForeignDerivedDataTests {
    private let chain = MadeChain(id: "590000000000002")

    @Test("It is rebuilt, with a remark")
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
