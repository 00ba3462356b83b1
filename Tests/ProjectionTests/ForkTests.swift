import AppStore
import Foundation
import GRDB
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import TestSupport
import Testing

/// Two logs that diverged and then appended the same events: the newest event does not show it.
@Suite("A log that ends like another one")
struct ForkTests {
    private let mine = MadeChain(id: "570000000000001")
    private let theirs = MadeChain(id: "570000000000005")
    private let shared = MadeChain(id: "570000000000009")

    private func taken(_ lines: [[UInt8]]) async throws -> TemporaryLedger {
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest(lines)
        try await ledger.session { session in
            try await session.ledger.log.checkpoint()
            try await session.projections.walCheckpoint()
            try await session.ledger.facts.walCheckpoint()
        }
        return ledger
    }

    /// Two purchases.
    private static let two = SharedLedger { ledger in
        _ = try await ledger.ingest([
            MadeChain(id: "570000000000001").bought(), MadeChain(id: "570000000000009").bought(),
        ])
    }

    private func leaf(_ ledger: TemporaryLedger, _ position: Int64) async throws -> Digest? {
        try await ledger.ledger { try await $0.log.event(at: position)?.event.leafHash }
    }

    /// Replaces this log by the other one.
    private func replaceLog(of ledger: TemporaryLedger, by other: TemporaryLedger) throws {
        try FileDamage.copy(
            other.environmentDirectory + "/" + EventLog.fileName,
            to: ledger.environmentDirectory + "/" + EventLog.fileName)
    }

    @Test(
        "It is detected, grown or not: derived data is rebuilt, with a remark",
        arguments: [0, 3])
    func fork(grown: Int) async throws {
        // Signed once: the same bytes in both.
        let common = try shared.bought().line()
        let later = try (0..<grown).map { try shared.renewed($0 + 1).line() }
        let ledger = try await taken([try mine.bought().line(), common])
        let other = try await taken([try theirs.bought().line(), common] + later)
        #expect(try await leaf(ledger, 2) == leaf(other, 2))
        #expect(try await leaf(ledger, 1) != leaf(other, 1))
        try replaceLog(of: ledger, by: other)
        let report = try await ledger.audit()
        #expect(report.log.isSound)
        #expect(report.projectionsMatch == false)
        let remarks = try await ledger.session { $0.remarks }
        #expect(remarks.count == 2)
        #expect(remarks.allSatisfy { $0.contains("position 2 of another log") })
        #expect(try await ledger.audit().isSound)
        #expect(
            try await ledger.export(.subscriptions) == other.export(.subscriptions))
        try await ledger.session { #expect($0.remarks.isEmpty) }
    }

    @Test("A log that only grew is the same, however often it is opened")
    func grown() async throws {
        let ledger = try await Self.two.copy()
        let path = try await ledger.session { $0.projections.path }
        for period in 1...5 {
            _ = try await ledger.ingest([mine.renewed(period)])
            #expect(try await ledger.audit().isSound)
            try await ledger.session { session in
                #expect(session.remarks.isEmpty)
                #expect(session.projections.path == path)
                let checkpoint = try await session.projections.checkpoint()
                #expect(checkpoint.tree?.size == session.head)
                #expect(try await session.ledger.facts.checkpoint() == checkpoint)
            }
        }
    }

    @Test(
        "A tree that is not this log's, or none at all, is found by an audit and rebuilt",
        arguments: [
            "tree_size = tree_size + 1", "tree_size = NULL", "tree = x'00'",
            "tree = zeroblob(32)", "tree_size = 1",
        ])
    func spoiltTree(change: String) async throws {
        let ledger = try await Self.two.copy()
        let file = try DatabaseQueue(path: try await ledger.session { $0.projections.path })
        try await file.write { try $0.execute(sql: "UPDATE checkpoint SET \(change)") }
        try file.close()
        #expect(try await ledger.audit().projectionsMatch == false)
        try await ledger.session { #expect($0.remarks.count == 1) }
        #expect(try await ledger.audit().isSound)
    }

    @Test("Files of a release that stored no tree are rebuilt without a remark")
    func upgrade() async throws {
        let ledger = try await Self.two.copy()
        let path = try await ledger.session { $0.projections.path }
        let file = try DatabaseQueue(path: path)
        try await file.write { database in
            try database.execute(
                sql: """
                    ALTER TABLE checkpoint DROP COLUMN tree;
                    ALTER TABLE checkpoint DROP COLUMN tree_size;
                    UPDATE meta SET value = '7' WHERE key = 'layoutVersion'
                    """)
        }
        try file.close()
        try await ledger.session { session in
            #expect(session.remarks.isEmpty)
            #expect(session.projections.path != path)
            let checkpoint = try await session.projections.checkpoint()
            #expect(checkpoint.tree?.size == 2)
        }
    }

    @Test("Derived data of a longer log that was lost is rebuilt, with a remark")
    func divergence() async throws {
        let ledger = try TemporaryLedger()
        let long = try await ledger.ingest(mine.life)
        try await ledger.session { #expect($0.remarks.isEmpty) }
        let other = try TemporaryLedger()
        _ = try await other.ingest([mine.bought()])
        let names = ["", "-wal", "-shm"].map { EventLog.fileName + $0 }
        try FileDamage.remove([EventLog.fileName], in: ledger.environmentDirectory)
        // Nothing is appended to a log recreated in place of a lost one.
        await #expect(throws: StoreError(.fileReplaced, reason: "", remedy: "")) {
            try await ledger.ingest([mine.bought()])
        }
        for name in names {
            try? FileManager.default.moveItem(
                atPath: "\(other.environmentDirectory)/\(name)",
                toPath: "\(ledger.environmentDirectory)/\(name)")
        }
        let report = try await ledger.audit()
        #expect(report.log.isSound)
        #expect(report.projectionsMatch == false)
        #expect(!report.isSound)
        try await ledger.session { session in
            #expect(session.remarks.contains { $0.contains("position \(long.position)") })
        }
        #expect(try await ledger.audit().isSound)
        try await ledger.session { #expect($0.remarks.isEmpty) }
    }

    private static let facts = "facts-\(Fact.decoderVersion).sqlite"

    /// Without the facts of this decoder a directory is like one whose release was just replaced by
    /// one with another decoder.
    @Test(
        "A lost log is not begun anew where facts or projections show that it held events",
        arguments: [
            ([ForkTests.facts], false, true), (["projections.sqlite"], false, true),
            ([ForkTests.facts, "projections.sqlite"], false, false),
            ([ForkTests.facts], true, false),
        ])
    func lost(removed: [String], isDamaged: Bool, isRefused: Bool) async throws {
        // given
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest(mine.life)
        let projections = try await ledger.session { $0.projections.path }
        // when
        let directory = ledger.environmentDirectory
        try FileDamage.remove([EventLog.fileName] + removed, in: directory)
        if isDamaged {
            try Data(repeating: 0xA5, count: 20_000).write(to: URL(filePath: projections))
        }
        // then
        guard isRefused else {
            let position = try await ledger.ingest([mine.bought()]).position
            #expect(position == 1)
            return
        }
        await #expect(throws: StoreError(.fileReplaced, reason: "", remedy: "")) {
            try await ledger.ingest([mine.bought()])
        }
        #expect(!FileManager.default.fileExists(atPath: "\(directory)/\(EventLog.fileName)"))
    }

    @Test(
        "Until a restore has named the new log, none is begun in place of a lost or emptied one",
        arguments: [false, true])
    func unfinishedRestore(isEmptied: Bool) async throws {
        // given
        let ledger = try TemporaryLedger()
        _ = try await ledger.ingest([mine.bought()])
        let backup = ledger.directory.file("log.backup")
        try await Gate.ledgers.pass {
            _ = try await EnvironmentLedger.backUp(
                ledger.configuration, environment: ledger.environment, to: backup)
        }
        _ = try await ledger.ingest([mine.renewed(1)])
        try await ledger.session { #expect($0.head == 2) }
        let log = "\(ledger.environmentDirectory)/\(EventLog.fileName)"
        try FileDamage.remove([EventLog.fileName], in: ledger.environmentDirectory)
        if isEmptied { try Data().write(to: URL(filePath: log)) }
        // when: the last step before that fails
        try FileManager.default.createDirectory(
            atPath: log + "-shm", withIntermediateDirectories: false)
        await #expect(throws: StoreError(.ioError, reason: "", remedy: "")) {
            try await restore(backup, ledger)
        }
        try FileManager.default.removeItem(atPath: log + "-shm")
        // then
        await #expect(throws: StoreError(.fileReplaced, reason: "", remedy: "")) {
            try await ledger.ingest([mine.bought()])
        }
        let position = try await restore(backup, ledger).head.position
        #expect(position == 1)
        try await ledger.session { #expect($0.head == 1 && $0.remarks.isEmpty) }
    }

    private func restore(
        _ backup: String, _ ledger: TemporaryLedger
    ) async throws -> LogRestore.Report {
        try await Gate.ledgers.pass {
            try await EnvironmentLedger.restore(
                ledger.configuration, environment: ledger.environment, from: backup,
                now: ledger.now
            ).restored
        }
    }
}
