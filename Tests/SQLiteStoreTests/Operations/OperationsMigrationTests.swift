import AppStore
import Faults
import Foundation
import GRDB
import Ledger
import Migrations
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

/// A file of an earlier release keeps its contents.
@Suite("Operations of earlier releases", .serialized)
struct OperationsMigrationTests {
    /// The oldest version with all stored content: quarantine is of 1, pending deliveries of 2.
    static let oldest = 2

    /// The file as of a migration, with a quarantined item, a removed one, and a pending change.
    private func earlier(
        _ directory: TemporaryDirectory, version: Int = OperationsMigrationTests.oldest
    ) throws {
        let file = DatabaseFile(
            path: directory.file(OperationsStore.fileName),
            applicationId: OperationsStore.applicationId,
            migrations: Array(SchemaHistory.operations.prefix(version)),
            pageByteCount: OperationsStore.pageByteCount,
            cacheKibibytes: OperationsStore.cacheKibibytes)
        let connection = try file.openWriter()
        try connection.write { database in
            for id in [3, 7] {
                try database.execute(
                    sql: """
                        INSERT INTO quarantine (id, digest, received_at, latest_at, attempts,
                            standing, code, message, input, byte_count, bytes)
                        VALUES (?, randomblob(32), 1, 2, 1, 3, 'untrustedRoot', 'Why.', 'f:1', 2,
                            x'0102')
                        """, arguments: [id])
            }
            try database.execute(sql: "DELETE FROM quarantine WHERE id = 7")
            try database.execute(
                sql: "UPDATE quarantine_totals SET items = 1, bytes = 2 WHERE standing = 3")
            try database.execute(
                sql: """
                    INSERT INTO webhook_waiting VALUES ('books', 1, 0, 0, 0, 'a', 'c', 2, 3, 4,
                        'status 500', NULL)
                    """)
        }
        try connection.close()
    }

    @Test(
        "Quarantined items and pending changes are there, and no id is reused",
        arguments: OperationsMigrationTests.oldest..<SchemaHistory.operations.count)
    func kept(version: Int) async throws {
        let directory = try TemporaryDirectory()
        try earlier(directory, version: version)
        try await expectKept(directory)
    }

    private func expectKept(_ directory: TemporaryDirectory) async throws {
        let store = try await OperationsStore.open(directory: directory.path)
        let item = try #require(try await store.quarantineItem(3))
        #expect(item.standing == .unverifiable)
        #expect(item.bytes == [1, 2])
        let waiting = try await store.waiting(for: "books", limit: 10)
        #expect(waiting.map(\.attempts) == [2])
        #expect(waiting.first?.chain.originalTransactionId.rawValue == "c")
        let new = NewQuarantineItem(
            receivedAt: Timestamp(milliseconds: 1), standing: .awaitingSecret, code: "x",
            message: "Why.", bytes: [9], input: "f:2")
        #expect(try await store.quarantine(new) == .kept(id: 8))
        await store.close()
    }

    @Test("The feed evaluates once more what earlier releases may have left out")
    func clockBeginsAgain() async throws {
        let directory = try TemporaryDirectory()
        try earlier(directory, version: 10)
        let file = try DatabaseQueue(path: directory.file(OperationsStore.fileName))
        try await file.write { database in
            try database.execute(
                sql: """
                    INSERT INTO feed_clock VALUES (1, 5, 999, x'0102');
                    INSERT INTO clock_readings VALUES (4, 998, 0, 'b', 'c', NULL)
                    """)
        }
        try file.close()
        let store = try await OperationsStore.open(directory: directory.path)
        let clock = try #require(try await store.feedClock())
        #expect(clock.end.position == 5)
        #expect(clock.at == Timestamp(milliseconds: 999))
        #expect(clock.looksAgain)
        let chain = ChainId(
            bundleId: BundleId("b"), originalTransactionId: OriginalTransactionId("c"))
        #expect(try await store.clockReadings(of: [chain])[chain]?.map(\.position) == [4])
        try await store.keepClock(end: clock.end, at: clock.at, chains: [])
        #expect(try await store.feedClock()?.looksAgain == false)
        await store.close()
    }

    /// The results of opening while `plan` is in effect.
    private func open(
        _ directory: TemporaryDirectory, _ plan: FaultPlan
    ) async throws -> StoreError.Code? {
        FaultFileSystem.apply(plan)
        defer { FaultFileSystem.release(plan) }
        do throws(StoreError) {
            let store = try await OperationsStore.open(directory: directory.path)
            await store.close()
            return nil
        } catch {
            return error.code
        }
    }

    @Test(
        "Whichever call of a migration fails, kills or loses power, the next open succeeds",
        arguments: FaultMode.allCases)
    func faults(mode: FaultMode) async throws {
        let counted = try TemporaryDirectory()
        try earlier(counted)
        let count = FaultPlan(directory: counted.path, mode: .once, number: .max)
        #expect(try await open(counted, count) == nil)
        #expect(count.callCount > 100)
        for number in FaultLoopTests.calls(count.callCount) {
            let note = Comment("\(mode) at call \(number), seed \(Soak.seed)")
            let directory = try TemporaryDirectory()
            try earlier(directory)
            let plan = FaultPlan(directory: directory.path, mode: mode, number: number)
            if let code = try await open(directory, plan) {
                #expect(FaultLoopTests.honest.contains(code), "\(note): \(code)")
            }
            try await plan.heal(seed: Soak.seed &+ UInt64(number))
            do { try await expectKept(directory) } catch { Issue.record(error, note) }
            let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(left == [OperationsStore.fileName], note)
        }
    }
}
