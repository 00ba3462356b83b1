import Foundation
import GRDB
import LedgerStore
import Migrations
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Two processes that create a file at the same moment")
struct TwoStartsTests {
    private static func file(_ directory: TemporaryDirectory, patience: Int = 1) -> DatabaseFile {
        DatabaseFile(
            path: directory.file("log.sqlite"), applicationId: EventLog.applicationId,
            migrations: SchemaHistory.log,
            pageByteCount: EventLog.pageByteCount, cacheKibibytes: 64, busyTimeoutSeconds: patience)
    }

    private static func queue(_ file: DatabaseFile) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        // One test leaves a transaction open between two accesses.
        configuration.allowsUnsafeTransactions = true
        return try DatabaseQueue(path: file.path, configuration: configuration)
    }

    private final class Attempts: Sendable {
        let count = Atomic(0)
    }

    @Test("A schema created by another process between two queries is not foreign")
    func recognised() throws {
        let directory = try TemporaryDirectory()
        let file = Self.file(directory)
        let (first, second) = (try Self.queue(file), try Self.queue(file))
        let attempts = Attempts()
        try first.inDatabase { database in
            database.trace { event in
                // The second query: the first one has read an application_id of 0.
                guard "\(event)".contains("sqlite_schema"),
                    attempts.count.load(ordering: .relaxed) == 0
                else { return }
                attempts.count.add(1, ordering: .relaxed)
                try? second.inDatabase { try SchemaMigrator(file: file).run($0) }
            }
            try SchemaMigrator(file: file).run(database)
        }
        #expect(attempts.count.load(ordering: .relaxed) == 1)
        try second.inDatabase { try SchemaMigrator(file: file).run($0) }
        try first.close()
        try second.close()
    }

    @Test("WAL mode refused while another process writes is requested again")
    func writeAheadLog() throws {
        let directory = try TemporaryDirectory()
        let file = Self.file(directory)
        let (first, second) = (try Self.queue(file), try Self.queue(file))
        try first.inDatabase { try SchemaMigrator(file: file).run($0) }
        try second.inDatabase { try $0.beginTransaction(.immediate) }
        var pauseCount = 0
        try first.inDatabase { database in
            try file.useWriteAheadLog(database) {
                pauseCount += 1
                guard pauseCount == 3 else { return }
                try? second.inDatabase { try $0.rollback() }
            }
        }
        #expect(pauseCount == 3)
        let mode = try first.inDatabase { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        #expect(mode == "wal")
        try first.close()
        try second.close()
    }

    @Test("It retries for the lock timeout, then fails with fileLocked")
    func patience() throws {
        let directory = try TemporaryDirectory()
        let file = Self.file(directory, patience: 2)
        let (first, second) = (try Self.queue(file), try Self.queue(file))
        try first.inDatabase { try SchemaMigrator(file: file).run($0) }
        try second.inDatabase { try $0.beginTransaction(.immediate) }
        var pauseCount = 0
        let error = #expect(throws: DatabaseError.self) {
            try first.inDatabase { database in
                try file.useWriteAheadLog(database) { pauseCount += 1 }
            }
        }
        #expect(error?.resultCode == .SQLITE_BUSY)
        #expect(pauseCount == 400)
        try second.inDatabase { try $0.rollback() }
        try first.close()
        try second.close()
    }

    @Test("Many processes opening a new file at once all succeed", arguments: 1...5)
    func many(round: Int) async throws {
        let directory = try TemporaryDirectory()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    let log = try await EventLog.open(directory: directory.path)
                    let operations = try await OperationsStore.open(directory: directory.path)
                    #expect(try await log.head().position == 0)
                    await operations.close()
                    await log.close()
                }
            }
            try await group.waitForAll()
        }
    }
}
