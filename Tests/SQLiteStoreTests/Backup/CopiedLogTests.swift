import Foundation
import LedgerTestSupport
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

@Suite("Auditing a log in a read-only directory")
struct CopiedLogTests {
    /// The files of a log whose newest events are in the write-ahead log, copied as from a running
    /// service.
    private func copied(_ count: Int) async throws -> TemporaryDirectory {
        let (origin, copy) = (try TemporaryDirectory(), try TemporaryDirectory())
        let log = try await EventLog.open(directory: origin.path)
        _ = try await log.append(Sample.events(0..<count))
        for name in ["log.sqlite", "log.sqlite-wal"] {
            try FileManager.default.copyItem(atPath: origin.file(name), toPath: copy.file(name))
        }
        await log.close()
        return copy
    }

    private func contents(_ directory: TemporaryDirectory) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            contents[name] = try Data(contentsOf: URL(filePath: directory.file(name)))
        }
        return contents
    }

    @Test("The write-ahead log is audited, and no file beside it is created or changed")
    func unchanged() async throws {
        let directory = try await copied(20)
        let before = try contents(directory)
        #expect(before["log.sqlite-wal"]?.isEmpty == false)
        // The state seen by a user without write permission.
        for name in before.keys { chmod(directory.file(name), 0o400) }
        chmod(directory.path, 0o500)
        defer { chmod(directory.path, 0o700) }
        let copy = try await CopiedLog.open(directory.path)
        let place = DatabaseFile.parent(of: copy.log.path)
        let report = try await copy.log.verify()
        #expect(report.isSound)
        #expect(report.eventCount == 20)
        await copy.close()
        #expect(try contents(directory) == before)
        #expect(!FileManager.default.fileExists(atPath: place))
    }

    @Test("A closed log without a write-ahead log is audited too")
    func closed() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(directory: directory.path)
        _ = try await log.append(Sample.events(0..<3))
        await log.close()
        #expect(!FileManager.default.fileExists(atPath: directory.file("log.sqlite-wal")))
        let copy = try await CopiedLog.open(directory.path)
        #expect(try await copy.log.verify().eventCount == 3)
        await copy.close()
    }

    @Test("A file that is not a log is refused")
    func damaged() async throws {
        let directory = try TemporaryDirectory()
        try Data("no database at all".utf8).write(to: URL(filePath: directory.file("log.sqlite")))
        await #expect(throws: StoreError(.fileNotDatabase, reason: "", remedy: "")) {
            _ = try await CopiedLog.open(directory.path)
        }
    }

    @Test("Where no copy can be made, the refusal names the directory and TMPDIR")
    func noPlace() async throws {
        let directory = try await copied(1)
        let parent = directory.file("none")
        let error = await #expect(throws: StoreError.self) {
            _ = try await CopiedLog.open(directory.path, copyingTo: parent)
        }
        #expect(error?.path == parent)
        #expect(error?.reason.hasPrefix("No copy of the log can be made in it.") == true)
        #expect(error?.remedy.contains("TMPDIR") == true)
    }

    @Test("A copy is needed only if the directory or the log is read-only")
    func needed() async throws {
        let directory = try await copied(1)
        #expect(!CopiedLog.isNeeded(for: directory.path))
        #expect(CopiedLog.isNeeded(for: "/sys/kernel"))
    }
}
