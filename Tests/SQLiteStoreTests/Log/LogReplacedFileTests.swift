import Foundation
import LedgerStore
import LedgerTestSupport
import SQLiteStore
import TestSupport
import Testing

@Suite("A file that is deleted, moved or replaced under an open log")
struct LogReplacedFileTests {
    /// A way to remove a file of the log.
    struct Loss: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let act: @Sendable (TemporaryDirectory) throws -> Void

        init(_ name: String, _ act: @escaping @Sendable (TemporaryDirectory) throws -> Void) {
            testDescription = name
            self.act = act
        }

        static func removal(_ file: String) -> Loss {
            Loss("\(file) is deleted") {
                try FileManager.default.removeItem(atPath: $0.file(file))
            }
        }

        /// The bytes remain, but the file changes: as after an editor's save or a copy back.
        static func copy(_ file: String) -> Loss {
            Loss("\(file) is replaced by a copy") { directory in
                let path = directory.file(file)
                try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
                #expect(rename(path + ".copy", path) == 0)
            }
        }
    }

    static let losses: [Loss] =
        ["log.sqlite", "log.sqlite-wal", "log.sqlite-shm"].flatMap {
            [Loss.removal($0), Loss.copy($0)]
        } + [
            Loss("log.sqlite is moved away") {
                #expect(rename($0.file("log.sqlite"), $0.file("moved")) == 0)
            },
            Loss("log.sqlite is replaced by an empty file") {
                try FileManager.default.removeItem(atPath: $0.file("log.sqlite"))
                try Data().write(to: URL(filePath: $0.file("log.sqlite")))
            },
            Loss("log.sqlite is replaced by a directory") {
                try FileManager.default.removeItem(atPath: $0.file("log.sqlite"))
                try FileManager.default.createDirectory(
                    atPath: $0.file("log.sqlite"), withIntermediateDirectories: false)
            },
        ]

    private func expectLoss<Value>(_ body: () async throws -> Value) async {
        await #expect(throws: StoreError(.fileReplaced, reason: "", remedy: "")) {
            _ = try await body()
        }
    }

    @Test(
        "Nothing is acknowledged or read any more, whether a read or an append comes first",
        arguments: losses)
    func refused(loss: Loss) async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        let reader = try await EventLog.open(directory: directory.path)
        _ = try await log.append(Sample.events(0..<3))
        try loss.act(directory)
        await expectLoss { try await reader.head() }
        let events = try Sample.events(3..<5)
        await expectLoss { try await log.append(events) }
        await expectLoss { try await log.append(events) }
        await expectLoss { try await log.head() }
        await expectLoss { try await log.events(after: 0) }
        await expectLoss { try await log.page(after: 0) }
        await expectLoss { try await log.event(at: 1) }
        await expectLoss { try await log.verify() }
        await expectLoss { try await log.checkpoint() }
        await reader.close()
        await log.close()
    }

    @Test("The error names the file and the remedy")
    func reported() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        try Loss.removal("log.sqlite-wal").act(directory)
        do throws(StoreError) {
            _ = try await log.head()
            Issue.record("The loss was not detected.")
        } catch {
            #expect(error.path == directory.file("log.sqlite"))
            #expect(error.reason.contains("log.sqlite-wal is gone"))
            #expect(!error.remedy.isEmpty)
        }
        await log.close()
    }

    @Test("A restored file is refused until the log is reopened, and is then complete")
    func putBack() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append(Sample.events(0..<3))
        let events = try Sample.events(3..<5)
        #expect(rename(directory.file("log.sqlite"), directory.file("moved")) == 0)
        await expectLoss { try await log.append(events) }
        #expect(rename(directory.file("moved"), directory.file("log.sqlite")) == 0)
        await expectLoss { try await log.append(events) }
        await expectLoss { try await log.head() }
        await log.close()
        let again = try await EventLog.open(directory: directory.path)
        #expect(
            try await again.append(Sample.events(0..<5))
                == [
                    .duplicate(of: 1), .duplicate(of: 2), .duplicate(of: 3),
                    .appended(position: 4), .appended(position: 5),
                ])
        #expect(try await again.verify().isSound)
        await again.close()
    }

    @Test("Events are not acknowledged if the file is removed around COMMIT", arguments: losses)
    func duringCommit(loss: Loss) async throws {
        for isBefore in [true, false] {
            let directory = try TemporaryDirectory()
            let act: @Sendable () -> Void = {
                do { try loss.act(directory) } catch { Issue.record(error) }
            }
            let hook = isBefore ? CommitHook(before: act) : CommitHook(after: act)
            let log = try await EventLog.open(
                directory: directory.path, faults: hook, busyTimeoutSeconds: 5)
            let events = try Sample.events(0..<2)
            await expectLoss { try await log.append(events) }
            await log.close()
        }
    }

    @Test("A COMMIT that fails while the file is removed creates no other file")
    func noNewFile() async throws {
        struct Failure: Error {}
        struct Remover: CommitFaults {
            let path: String
            func willCommit() throws {
                unlink(path)
                throw Failure()
            }
            func didCommit() {}
        }
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(
            directory: directory.path, faults: Remover(path: directory.file("log.sqlite")),
            busyTimeoutSeconds: 5)
        let events = try Sample.events(0..<2)
        await #expect(throws: StoreError(.commitOutcomeUnknown, reason: "", remedy: "")) {
            try await log.append(events)
        }
        await expectLoss { try await log.append(events) }
        #expect(!FileManager.default.fileExists(atPath: directory.file("log.sqlite")))
        await log.close()
    }

    @Test("A directory that is moved away and recreated is detected")
    func directory() async throws {
        let directory = try TemporaryDirectory()
        let inner = directory.file("production")
        let log = try await EventLog.open(directory: inner)
        _ = try await log.append(Sample.events(0..<3))
        #expect(rename(inner, directory.file("moved")) == 0)
        let other = try await EventLog.open(directory: inner)
        _ = try await other.append(Sample.events(5..<6))
        await expectLoss { try await log.head() }
        await log.close()
        #expect(try await other.append(Sample.events(6..<7)) == [.appended(position: 2)])
        await other.close()
        let moved = try await EventLog.open(directory: directory.file("moved"))
        #expect(try await moved.head().position == 3)
        await moved.close()
    }

    @Test("Closing a log whose file was replaced leaves the new file intact")
    func closing() async throws {
        let directory = try TemporaryDirectory()
        let old = try await EventLog.open(directory: directory.path)
        _ = try await old.append(Sample.events(0..<3))
        for suffix in ["", "-wal", "-shm"] { unlink(directory.file("log.sqlite" + suffix)) }
        let new = try await EventLog.open(directory: directory.path)
        _ = try await new.append(Sample.events(5..<8))
        await old.close()
        #expect(FileManager.default.fileExists(atPath: directory.file("log.sqlite-wal")))
        _ = try await new.append(Sample.events(8..<9))
        await new.close()
        let again = try await EventLog.open(directory: directory.path)
        #expect(try await again.head().position == 4)
        #expect(try await again.verify().isSound)
        await again.close()
    }

    @Test("A write-ahead log without its file is refused, and kept", arguments: [false, true])
    func orphan(isEmpty: Bool) async throws {
        let directory = try TemporaryDirectory()
        let wal = directory.file("log.sqlite-wal")
        try Data([1, 2, 3]).write(to: URL(filePath: wal))
        if isEmpty { try Data().write(to: URL(filePath: directory.file("log.sqlite"))) }
        await expectLoss { try await EventLog.open(directory: directory.path) }
        #expect(try Data(contentsOf: URL(filePath: wal)) == Data([1, 2, 3]))
    }

    @Test("Opening a log beside another does not drop the other's locks")
    func locks() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append(Sample.events(0..<3))
        let probe = try LockProbe(path: directory.file("log.sqlite"))
        #expect(probe.isLocked)
        let second = try await EventLog.open(directory: directory.path)
        await second.close()
        #expect(probe.isLocked)
        await log.close()
        #expect(!probe.isLocked)
    }
}
