import Foundation
import LedgerTestSupport
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

@Suite("Testing whether a log can be written")
struct LogProbeTests {
    @Test("The commit probe writes to disk, and leaves every event unchanged")
    func writes() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append(Sample.events(0..<3))
        let writeAheadLog = URL(filePath: directory.path + "/\(EventLog.fileName)-wal")
        let (head, before) = (try await log.head(), try Data(contentsOf: writeAheadLog))
        try await log.probeLock()
        #expect(try Data(contentsOf: writeAheadLog) == before)
        try await log.probeCommit()
        #expect(try Data(contentsOf: writeAheadLog) != before)
        #expect(try await log.head() == head)
        #expect(try await log.verify().isSound)
        #expect(try await log.append(Sample.events(2..<4)).last == .appended(position: 4))
        await log.close()
    }

    @Test("A COMMIT that fails twice fails the probe, and the next probe reopens the file")
    func fails() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(
            directory: directory.path, faults: FaultScript(before: [2, 3]), busyTimeoutSeconds: 5)
        _ = try await log.append(Sample.events(0..<1))
        await #expect(throws: StoreError(.commitOutcomeUnknown, reason: "", remedy: "")) {
            try await log.probeCommit()
        }
        try await log.probeCommit()
        #expect(try await log.append(Sample.events(1..<2)) == [.appended(position: 2)])
        await log.close()
    }

    @Test("Allocated space is freed and leaves no file")
    func room() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/\(EventLog.fileName)"
        try WriteSpaceCheck.require(nextTo: path, from: 0, byteCount: WriteSpaceCheck.byteCount)
        try WriteSpaceCheck.require(
            nextTo: path, from: 1 << 40, byteCount: WriteSpaceCheck.byteCount)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
    }

    @Test("Space is allocated at the next page's offset: past the largest file there is none")
    func depth() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/\(EventLog.fileName)"
        let last = Int64.max - WriteSpaceCheck.byteCount + 1
        #expect(throws: StoreError(.diskFull, reason: "", remedy: "")) {
            try WriteSpaceCheck.require(
                nextTo: path, from: last, byteCount: WriteSpaceCheck.byteCount)
        }
        // Existing space need not be allocated.
        try WriteSpaceCheck.require(nextTo: path, from: last, byteCount: 0)
        try WriteSpaceCheck.require(nextTo: path, from: last, byteCount: -1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }

    @Test(
        "A link or directory with the probe's name is left alone, and the probe succeeds")
    func inTheWay() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        let name = directory.path + "/\(EventLog.fileName)\(WriteSpaceCheck.suffix)"
        let other = directory.path + "/other"
        try FileManager.default.createSymbolicLink(atPath: name, withDestinationPath: other)
        try await log.probeCommit()
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: name) == other)
        #expect(!FileManager.default.fileExists(atPath: other))
        try FileManager.default.removeItem(atPath: name)
        try FileManager.default.createDirectory(atPath: name, withIntermediateDirectories: false)
        try await log.probeCommit()
        #expect(FileManager.default.fileExists(atPath: name))
        await log.close()
    }

    @Test("Appends queued beside a probe get the same answers as alone")
    func together() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        let events = try Sample.events(0..<20)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for event in events {
                group.addTask {
                    let results = try await log.append([event])
                    #expect(results.count == 1 && results.allSatisfy(\.isWritten))
                }
                group.addTask { try await log.probeCommit() }
            }
            try await group.waitForAll()
        }
        #expect(try await log.head().position == 20)
        #expect(try await log.verify().isSound)
        await log.close()
    }

    @Test("A closed log, or one whose file was removed, cannot be probed")
    func refused() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append(Sample.events(0..<1))
        try FileManager.default.moveItem(
            atPath: directory.path + "/\(EventLog.fileName)", toPath: directory.path + "/away")
        await #expect(throws: StoreError(.fileReplaced, reason: "", remedy: "")) {
            try await log.probeCommit()
        }
        await log.close()
        await #expect(throws: StoreError(.closed, reason: "", remedy: "")) {
            try await log.probeCommit()
        }
    }
}
