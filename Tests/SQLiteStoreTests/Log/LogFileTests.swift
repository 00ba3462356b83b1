import Faults
import Foundation
import GRDB
import LedgerTestSupport
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

@Suite("Opening the log's file")
struct LogFileTests {
    /// Corrupts the file of a log, and returns the code with which it is refused.
    private func refusal(
        spoil: (LogTampering) throws -> Void
    ) async throws -> StoreError.Code? {
        let directory = try TemporaryDirectory()
        let path = directory.file("log.sqlite")
        try await LogAuditTests.twenty.value.write(to: URL(filePath: path))
        try spoil(LogTampering(path: path))
        let before = try Data(contentsOf: URL(filePath: path))
        do throws(StoreError) {
            let log = try await EventLog.open(directory: directory.path)
            await log.close()
            return nil
        } catch {
            #expect(error.path == path)
            #expect(!error.reason.isEmpty && !error.remedy.isEmpty)
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
            return error.code
        }
    }

    static let spoilt: [(sql: String, code: StoreError.Code)] = [
        (
            "INSERT INTO migrations SELECT max(version) + 1, 'later', zeroblob(32) FROM migrations",
            .fileNewer
        ),
        ("UPDATE migrations SET checksum = zeroblob(32)", .fileChanged),
        ("UPDATE migrations SET checksum = x''", .fileChanged),
        ("UPDATE migrations SET name = 'V0001_other'", .fileChanged),
        ("UPDATE migrations SET version = -version", .fileChanged),
        ("DROP TABLE migrations", .fileChanged),
        ("DELETE FROM migrations; INSERT INTO migrations VALUES (3, 'c', x'')", .fileChanged),
        ("PRAGMA application_id = 0", .fileForeign),
        ("PRAGMA application_id = \(OperationsStore.applicationId)", .fileForeign),
    ]

    @Test(
        "A newer, changed or foreign file is refused and left unchanged", arguments: spoilt)
    func refused(sql: String, code: StoreError.Code) async throws {
        #expect(try await refusal { try $0.run(sql) } == code)
    }

    @Test("What a link in place of a database leads to is never written to")
    func links() async throws {
        let refusal = StoreError(.ioError, reason: "", remedy: "")
        for suffix in FileIdentityGuard.suffixes {
            let directory = try TemporaryDirectory()
            let other = directory.file("other")
            try Data().write(to: URL(filePath: other))
            for name in [EventLog.fileName, OperationsStore.fileName] {
                #expect(symlink(other, directory.file(name + suffix)) == 0)
            }
            await #expect(throws: refusal) {
                _ = try await EventLog.open(directory: directory.path)
            }
            await #expect(throws: refusal) {
                _ = try await OperationsStore.open(directory: directory.path)
            }
            #expect(try Data(contentsOf: URL(filePath: other)).isEmpty)
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(names.count == 3)
        }
    }

    @Test("Foreign files are refused with distinct codes")
    func foreign() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("log.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.inDatabase { try $0.execute(sql: "CREATE TABLE photos (id INTEGER)") }
        try queue.close()
        await expectRefusal(.fileForeign, directory.path)
        try Data(
            "This is a text, and a rather long one: ".utf8 + Data(repeating: 0x20, count: 9_000)
        )
        .write(to: URL(filePath: path))
        await expectRefusal(.fileNotDatabase, directory.path)
    }

    @Test("A truncated file is reported as corrupt when opened or read")
    func truncated() async throws {
        let code = try await refusal { file in
            try file.rewrite { data in data.removeLast(data.count / 2) }
        }
        #expect(code == .fileCorrupt)
    }

    @Test("A corrupt first page is reported as corrupt or as no database")
    func spoiltPage() async throws {
        let code = try await refusal { file in
            try file.rewrite { data in for index in 100..<400 { data[index] = 0xA5 } }
        }
        #expect(code == .fileCorrupt)
        let other = try await refusal { file in try file.rewrite { $0[3] ^= 0xFF } }
        #expect(other == .fileNotDatabase)
    }

    @Test("An empty file, which a crash can leave, becomes a log")
    func emptyFile() async throws {
        let directory = try TemporaryDirectory()
        try Data().write(to: URL(filePath: directory.file("log.sqlite")))
        let log = try await EventLog.open(directory: directory.path)
        #expect(try await log.append(Sample.events(0..<1)) == [.appended(position: 1)])
        await log.close()
    }

    @Test("A directory in place of the file, a file in place of the directory")
    func wrongKind() async throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.file("log.sqlite"), withIntermediateDirectories: false)
        await expectRefusal(.ioError, directory.path)
        try Data().write(to: URL(filePath: directory.file("plain")))
        await expectRefusal(.ioError, directory.file("plain"))
        await expectRefusal(.ioError, directory.file("plain/inner"))
    }

    @Test(
        "A directory on a read-only file system is reported as read-only",
        .enabled(
            if: FileManager.default.fileExists(atPath: "/sys/kernel"),
            "needs a file system that refuses new files"))
    func readOnlyDirectory() async {
        await expectRefusal(.fileReadOnly, "/sys/subledger")
        await expectRefusal(.fileReadOnly, "/sys/kernel")
    }

    @Test(
        "A directory without write permission is reported as read-only",
        .enabled(
            if: geteuid() != 0, "permissions do not apply to the superuser"))
    func noPermission() async throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o500)
        defer { chmod(directory.path, 0o700) }
        await expectRefusal(.fileReadOnly, directory.path)
    }

    @Test("Appends to a log locked by another process wait or fail with fileLocked")
    func locked() async throws {
        let directory = try TemporaryDirectory()
        let log = try await EventLog.open(
            directory: directory.path, faults: nil, busyTimeoutSeconds: 0)
        let events = try Sample.events(0..<1)
        let holder = try LockHolder(path: directory.file("log.sqlite"))
        await #expect(throws: StoreError(.fileLocked, reason: "", remedy: "")) {
            try await log.append(events)
        }
        await holder.release()
        #expect(try await log.append(events) == [.appended(position: 1)])
        await log.close()
    }

    private func expectRefusal(_ code: StoreError.Code, _ directory: String) async {
        await #expect(throws: StoreError(code, reason: "", remedy: "")) {
            _ = try await EventLog.open(directory: directory)
        }
    }

    static let results: [(ResultCode, StoreError.Code)] = [
        (.SQLITE_FULL, .diskFull), (.SQLITE_IOERR, .ioError), (.SQLITE_IOERR_FSYNC, .ioError),
        (.SQLITE_CANTOPEN, .ioError), (.SQLITE_READONLY, .fileReadOnly),
        (.SQLITE_READONLY_DIRECTORY, .fileReadOnly), (.SQLITE_PERM, .fileReadOnly),
        (.SQLITE_BUSY, .fileLocked), (.SQLITE_BUSY_SNAPSHOT, .fileLocked),
        (.SQLITE_LOCKED, .fileLocked), (.SQLITE_CORRUPT, .fileCorrupt),
        (.SQLITE_NOTADB, .fileNotDatabase), (.SQLITE_CONSTRAINT_UNIQUE, .fileCorrupt),
        (.SQLITE_MISUSE, .databaseFailure),
    ]

    @Test("Every SQLite error has one stable code, and no values in its text", arguments: results)
    func translation(result: ResultCode, code: StoreError.Code) {
        let error = StoreError(
            DatabaseError(resultCode: result, message: "secret"), path: "log.sqlite")
        #expect(error.code == code)
        #expect(error.path == "log.sqlite")
        #expect(!error.description.contains("secret"))
    }
}
