import Foundation
import GRDB
@testable import LedgerStore
@testable import SQLiteStore
import Synchronization
import Testing


/// The write-ahead log is moved into the file by itself, so that it stays bounded.
@Suite("Checkpoints by themselves")
struct LogCheckpointTests {
    /// What stands in the file itself, without its write-ahead log.
    private static func moved(_ directory: TemporaryDirectory) -> Data? {
        FileManager.default.contents(atPath: directory.file(EventLog.fileName))
    }

    /// Returns when the checkpointer has done what it was asked for.
    private static func settle(_ log: EventLog) async {
        await withCheckedContinuation { continuation in
            log.checkpointer.asyncWriteWithoutTransaction { _ in continuation.resume() }
        }
    }

    @Test("Due at the bound of bytes written, not one before; and at the bound again")
    func bytes() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        for round in 0..<2 {
            _ = try await log.append(Sample.events(round * 5..<round * 5 + 5))
            let before = LogCheckpointTests.moved(directory)
            let written = log.state.withLock { $0.bytesSinceCheckpoint }
            log.noteWritten(bytes: LogLimits.checkpointByteCount - written - 1)
            await LogCheckpointTests.settle(log)
            #expect(LogCheckpointTests.moved(directory) == before, "round \(round)")
            log.noteWritten(bytes: 1)
            await LogCheckpointTests.settle(log)
            #expect(LogCheckpointTests.moved(directory) != before, "round \(round)")
        }
        await log.close()
    }

    @Test(
        "Of a log beyond its frames the writer moves what it wrote meanwhile, and only then",
        arguments: [true, false])
    func frames(isBeyond: Bool) async throws {
        let directory = try TemporaryDirectory()
        // Written by opening it already.
        let log = try await EventLog.open(
            directory: directory.path, faults: NoCommitFaults(), busyTimeoutSeconds: 5,
            checkpointFrameCount: isBeyond ? 0 : LogLimits.checkpointFrameCount)
        _ = try await log.append(Sample.events(0..<5))
        try await log.checkpoint()
        let before = LogCheckpointTests.moved(directory)
        // Nobody asks for another checkpoint.
        _ = try await log.append(Sample.events(5..<10))
        // Waits for its turn behind what the writer does after an append.
        try await log.probeLock()
        #expect((LogCheckpointTests.moved(directory) != before) == isBeyond)
        _ = try await log.append(Sample.events(10..<15))
        #expect(try await log.verify().isSound)
        await log.close()
    }

    @Test("A write-ahead log beyond the frames worth it is written over, and grows no more")
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
        // After this one the writer finishes.
        try await append()
        let longest = try length()
        for _ in 0..<20 { try await append() }
        #expect(try length() == longest)
        #expect(try await log.verify().isSound)
        await log.close()
    }

    @Test("Somebody who holds the checkpoint for ever is told at the bound, not one before")
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
            // One that is made begins the count anew.
            try await log.checkpoint()
        }
        #expect(try await log.verify().isSound)
        await log.close()
    }
}
