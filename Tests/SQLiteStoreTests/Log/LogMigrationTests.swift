import AppStore
import Faults
import Foundation
import GRDB
import Ledger
import LedgerTestSupport
import Migrations
import Synchronization
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

/// A log of the first release keeps its contents.
@Suite("Logs of earlier releases", .serialized)
struct LogMigrationTests {
    /// Events in the earlier file; the last one is a sweep.
    private static let eventCount: Int64 = 31

    private static let made = Result {
        let sweep = try Sample.event("s", kind: .sweep, evidence: .verbatim([1]))
        return try Sample.events(0..<30) + [sweep]
    }

    private static func events() throws -> [NewEvent] { try made.get() }

    /// A log as created by schema 1: today's appends, written to tables of version 1.
    private static func earlier() async throws -> TemporaryDirectory {
        let (today, directory) = (try TemporaryDirectory(), try TemporaryDirectory())
        let log = try await EventLog.open(directory: today.path)
        _ = try await log.append(try events())
        await log.close()
        let file = DatabaseFile(
            path: directory.file(EventLog.fileName), applicationId: EventLog.applicationId,
            migrations: Array(SchemaHistory.log.prefix(1)),
            pageByteCount: EventLog.pageByteCount, cacheKibibytes: EventLog.cacheKibibytes)
        let connection = try file.openWriter()
        try await connection.writeWithoutTransaction { database in
            try database.execute(
                sql: "ATTACH ? AS today", arguments: [today.file(EventLog.fileName)])
            try database.execute(
                sql: """
                    BEGIN;
                    INSERT INTO events SELECT * FROM today.events;
                    INSERT INTO evidence SELECT * FROM today.evidence;
                    INSERT INTO headers SELECT * FROM today.headers;
                    UPDATE head SET (position, tree, root, newest_received_at) =
                        (SELECT position, tree, root, newest_received_at FROM today.head);
                    COMMIT;
                    DETACH today
                    """)
        }
        try connection.close()
        return directory
    }

    /// A copy of the earlier file in its own directory.
    private static func copy(_ directory: TemporaryDirectory) throws -> TemporaryDirectory {
        let copy = try TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: directory.file(EventLog.fileName), toPath: copy.file(EventLog.fileName))
        return copy
    }

    private func expectWhole(_ directory: TemporaryDirectory, _ note: Comment?) async throws {
        let log = try await EventLog.open(directory: directory.path)
        let count = LogMigrationTests.eventCount
        #expect(try await log.events(after: 0).map(\.position) == Array(1...count), note)
        #expect(try await log.verify().findings == [], note)
        #expect(try await log.sweepPositions(through: count) == [count], note)
        let again = try await log.append(try LogMigrationTests.events())
        #expect(again == (1...count).map { .duplicate(of: $0) }, note)
        let more = try await log.append([try Sample.event("later")])
        #expect(more == [.appended(position: count + 1)], note)
        #expect(try await log.verify().findings == [], note)
        await log.close()
        let file = try DatabaseQueue(path: directory.file(EventLog.fileName))
        let versions = try await file.read {
            try Int.fetchAll($0, sql: "SELECT version FROM migrations ORDER BY version")
        }
        #expect(versions == SchemaHistory.log.map(\.version), note)
        try file.close()
    }

    /// The results of opening while `plan` is in effect.
    private func open(
        _ directory: TemporaryDirectory, _ plan: FaultPlan
    ) async throws -> StoreError.Code? {
        FaultFileSystem.apply(plan)
        defer { FaultFileSystem.release(plan) }
        do throws(StoreError) {
            let log = try await EventLog.open(directory: directory.path)
            await log.close()
            return nil
        } catch {
            return error.code
        }
    }

    @Test(
        "Whichever call of a migration fails, kills or loses power, all events are kept")
    func faults() async throws {
        let earlier = try await LogMigrationTests.earlier()
        let counted = try LogMigrationTests.copy(earlier)
        let count = FaultPlan(directory: counted.path, mode: .once, number: .max)
        #expect(try await open(counted, count) == nil)
        #expect(count.callCount > 50)
        try await expectWhole(counted, nil)
        for (mode, number) in FaultLoopTests.faults(count.callCount) {
            let note = Comment("\(mode) at call \(number), seed \(Soak.seed)")
            let directory = try LogMigrationTests.copy(earlier)
            let plan = FaultPlan(directory: directory.path, mode: mode, number: number)
            if let code = try await open(directory, plan) {
                #expect(FaultLoopTests.honest.contains(code), "\(note): \(code)")
            }
            try await plan.heal(seed: Soak.seed &+ UInt64(number))
            do { try await expectWhole(directory, note) } catch { Issue.record(error, note) }
            let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(left == [EventLog.fileName], note)
        }
    }

    /// Audits the earlier file as a restore does its copy of a backup, while one call fails.
    /// Returns the calls after the walk, whether the copy is used, and its write-ahead log.
    private func audit(
        _ earlier: TemporaryDirectory, failing number: Int
    ) async throws -> (calls: ClosedRange<Int>, isUsed: Bool, left: Data) {
        let directory = try TemporaryDirectory()
        let staging = try StagingDirectory.make(for: directory.file("copy"))
        defer { staging.remove() }
        try FileManager.default.copyItem(
            atPath: earlier.file(EventLog.fileName), toPath: staging.file)
        let plan = FaultPlan(directory: staging.path, mode: .fullOnce, number: number)
        FaultFileSystem.apply(plan)
        defer { FaultFileSystem.release(plan) }
        let walked = Mutex(0)
        let report = try? await staging.audit { _, _ in walked.withLock { $0 = plan.callCount } }
        let left = FileManager.default.contents(atPath: staging.file + "-wal") ?? Data()
        return (walked.withLock { $0 }...plan.callCount, report?.isSound == true, left)
    }

    @Test("A restored copy is one file: where its migration cannot be moved into it, it is refused")
    func restored() async throws {
        // given
        let earlier = try await LogMigrationTests.earlier()
        let whole = try await audit(earlier, failing: .max)
        #expect(whole.isUsed && whole.calls.count > 10)
        for number in whole.calls {
            // when
            let found = try await audit(earlier, failing: number)
            // then
            #expect(!found.isUsed || found.left.isEmpty, "call \(number)")
        }
    }
}
