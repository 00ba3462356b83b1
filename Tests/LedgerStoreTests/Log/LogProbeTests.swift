import Foundation
import Testing

@testable import LedgerStore

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
        #expect(try Data(contentsOf: writeAheadLog).count > before.count)
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

    @Test("A try that fails takes no event with it that waits beside it, known or new")
    func alone() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        let events = try Sample.events(0..<20)
        _ = try await log.append(Array(events.prefix(10)))
        // Where a directory stands no room can be taken.
        let inTheWay = directory.path + "/\(EventLog.fileName)-probe"
        try FileManager.default.createDirectory(
            atPath: inTheWay, withIntermediateDirectories: false)
        let holder = try LockHolder(path: directory.path + "/\(EventLog.fileName)")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, event) in events.enumerated() {
                group.addTask {
                    let results = try await log.append([event])
                    #expect(results.first?.isWritten == (number >= 10))
                }
                group.addTask {
                    await #expect(throws: StoreError(.ioError, reason: "", remedy: "")) {
                        try await log.probeCommit()
                    }
                }
            }
            // So that all of them wait for one another.
            while log.waiting.eventCount < events.count { await Task.yield() }
            holder.release()
            try await group.waitForAll()
        }
        #expect(try await log.head().position == 20)
        await log.close()
    }

    @Test("Room that is there is given back, and leaves no file")
    func room() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/\(EventLog.fileName)"
        try WriteRoom.require(for: path)
        try Data(count: 100_000).write(to: URL(filePath: path + "-wal"))
        try WriteRoom.require(for: path)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path)
                == ["\(EventLog.fileName)-wal"])
    }

    @Test("Room is asked for where the next page would go: past the longest file none is left")
    func depth() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: StoreError(.diskFull, reason: "", remedy: "")) {
            try WriteRoom.require(
                beside: directory.path + "/\(EventLog.fileName)",
                depth: .max - WriteRoom.byteCount + 1)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
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
