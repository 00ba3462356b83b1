import Foundation
import GRDB
import LedgerTestSupport
import Synchronization
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

/// The write-ahead log is checkpointed automatically, so that it stays bounded.
@Suite("Automatic checkpoints")
struct LogCheckpointTests {
    /// The contents of the file itself, without its write-ahead log.
    private static func moved(_ directory: TemporaryDirectory) -> Data? {
        FileManager.default.contents(atPath: directory.file(EventLog.fileName))
    }

    /// Returns when the checkpointer has finished its pending work.
    private static func walCheckpoint(_ log: EventLog) async {
        await withCheckedContinuation { continuation in
            log.checkpointer.asyncWriteWithoutTransaction { _ in continuation.resume() }
        }
    }

    @Test("A checkpoint runs at the bound of bytes written, not before, and at the bound again")
    func bytes() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        for round in 0..<2 {
            _ = try await log.append(Sample.events(round * 5..<round * 5 + 5))
            let before = LogCheckpointTests.moved(directory)
            let written = log.state.withLock { $0.bytesSinceCheckpoint }
            log.noteWritten(bytes: LogLimits.checkpointByteCount - written - 1)
            await LogCheckpointTests.walCheckpoint(log)
            #expect(LogCheckpointTests.moved(directory) == before, "round \(round)")
            log.noteWritten(bytes: 1)
            await LogCheckpointTests.walCheckpoint(log)
            #expect(LogCheckpointTests.moved(directory) != before, "round \(round)")
        }
        await log.close()
    }

    @Test(
        "The writer moves its own frames only in a log beyond the frame bound",
        arguments: [true, false])
    func frames(isBeyond: Bool) async throws {
        let directory = try TemporaryDirectory()
        // Opening it writes already.
        let log = try await EventLog.open(
            directory: directory.path, faults: nil, busyTimeoutSeconds: 5,
            checkpointFrameCount: isBeyond ? 0 : LogLimits.checkpointFrameCount)
        _ = try await log.append(Sample.events(0..<5))
        try await log.checkpoint()
        let before = LogCheckpointTests.moved(directory)
        // No checkpoint is due here.
        _ = try await log.append(Sample.events(5..<10))
        // Queues behind the writer's work after an append.
        try await log.probeLock()
        #expect((LogCheckpointTests.moved(directory) != before) == isBeyond)
        _ = try await log.append(Sample.events(10..<15))
        #expect(try await log.verify().isSound)
        await log.close()
    }

    @Test("A write-ahead log beyond reusedFrameCount is overwritten and stops growing")
    func reused() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        func length() throws -> Int {
            let path = directory.file(EventLog.fileName + "-wal")
            return try #require(
                try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        }
        var count = 0
        func append() async throws {
            let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 1_024 * 1_024)
            _ = try await log.append([Sample.command("c\(count)", bytes)])
            count += 1
        }
        while try length() / EventLog.pageByteCount <= LogLimits.reusedFrameCount + 64 {
            try await append()
        }
        try await log.checkpoint()
        // The writer finishes after this one.
        try await append()
        let longest = try length()
        for _ in 0..<20 { try await append() }
        #expect(try length() == longest)
        #expect(try await log.verify().isSound)
        await log.close()
    }

    @Test(
        "While a reader holds erased pages their removal fails at once, and appends go on",
        .timeLimit(.minutes(20)))
    func purged() async throws {
        let directory = try TemporaryDirectory()
        // A removal that waited for the reader would hold the writer's lock for this long.
        let seconds = 24 * 3_600
        let log = try await EventLog.open(
            directory: directory.path, faults: nil, busyTimeoutSeconds: seconds)
        _ = try await log.append(Sample.events(0..<5))
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: log.path, configuration: configuration)
        try reader.inDatabase { database in
            try database.execute(sql: "BEGIN")
            _ = try Int.fetchOne(database, sql: "SELECT position FROM head")
        }
        #expect(try await log.purgeOnce() == false)
        _ = try await log.append(Sample.events(5..<10))
        try reader.inDatabase { try $0.execute(sql: "COMMIT") }
        #expect(try await log.purgeOnce())
        let wait = try log.checkpointer.inDatabase { database in
            try Int.fetchOne(database, sql: "PRAGMA busy_timeout")
        }
        #expect(wait == seconds * 1_000)
        try reader.close()
        await log.close()
    }

    @Test("A permanently blocked checkpoint is reported at the bound, not before")
    func refused() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append(Sample.events(0..<5))
        for _ in 0..<2 {
            let holder = try CheckpointHolder(path: log.path)
            for _ in 1..<LogLimits.refusedCheckpointCount { try await log.checkpoint() }
            await #expect(throws: StoreError(.fileLocked, reason: "", remedy: "")) {
                try await log.checkpoint()
            }
            try holder.release()
            // A successful checkpoint resets the count.
            try await log.checkpoint()
        }
        #expect(try await log.verify().isSound)
        await log.close()
    }
}
