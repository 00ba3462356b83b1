import Foundation
@testable import LedgerStore
@testable import SQLiteStore
import Testing


@Suite("Trying whether a log can be written")
struct LogProbeTests {
    @Test("The try that commits writes, so that a disk is asked, and leaves every event as it was")
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

    @Test("A COMMIT that fails twice fails the try, and the next one opens the file again")
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

    @Test("Room that is there is given back, and leaves no file")
    func room() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/\(EventLog.fileName)"
        try WriteRoom.require(beside: path, from: 0, byteCount: WriteRoom.byteCount)
        try WriteRoom.require(beside: path, from: 1 << 40, byteCount: WriteRoom.byteCount)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
    }

    @Test("Room is asked for where the next page would go: past the longest file none is left")
    func depth() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/\(EventLog.fileName)"
        let last = Int64.max - WriteRoom.byteCount + 1
        #expect(throws: StoreError(.diskFull, reason: "", remedy: "")) {
            try WriteRoom.require(beside: path, from: last, byteCount: WriteRoom.byteCount)
        }
        // Where there is room already none is needed.
        try WriteRoom.require(beside: path, from: last, byteCount: 0)
        try WriteRoom.require(beside: path, from: last, byteCount: -1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }

    @Test(
        "What stands at the name of the try, a link or a directory, is left alone and no obstacle")
    func inTheWay() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        let name = directory.path + "/\(EventLog.fileName)\(WriteRoom.suffix)"
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

    @Test("What stands beside a try is answered as if it stood alone")
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

    @Test("A log that was closed, or whose file was taken away, cannot be tried")
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
