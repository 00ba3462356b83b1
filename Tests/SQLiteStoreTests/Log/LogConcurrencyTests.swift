import Foundation
import LedgerStore
import LedgerTestSupport
import SQLiteStore
import TestSupport
import Testing

@Suite("Several appenders")
struct LogConcurrencyTests {
    @Test("A checkpoint during appends does not affect reads")
    func checkpoints() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for start in 0..<20 {
                    _ = try await log.append(Sample.events(start * 5..<start * 5 + 5))
                }
            }
            group.addTask { for _ in 0..<20 { try await log.checkpoint() } }
            try await group.waitForAll()
        }
        #expect(try await log.head().position == 100)
        #expect(try await log.verify().isSound)
        await log.close()
    }

    @Test("A checkpoint during another process's checkpoint is skipped without an error")
    func checkpointBesideAnother() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append(Sample.events(0..<5))
        let (path, other) = (
            directory.file(EventLog.fileName),
            try CheckpointHolder(path: directory.file(EventLog.fileName))
        )
        let before = FileManager.default.contents(atPath: path)
        try await log.checkpoint()
        #expect(FileManager.default.contents(atPath: path) == before)
        try other.release()
        try await log.checkpoint()
        #expect(FileManager.default.contents(atPath: path) != before)
        #expect(try await log.verify().isSound)
        await log.close()
        withExtendedLifetime(other) {}
    }
}
