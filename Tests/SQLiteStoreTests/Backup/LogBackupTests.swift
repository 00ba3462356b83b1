import AppStore
import Faults
import Foundation
import LedgerTestSupport
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

@Suite("Backing up a log")
struct LogBackupTests {
    @Test("A backup holds every row, including conflicts", arguments: [0, 1, 1_100])
    func whole(count: Int) async throws {
        let place = try BackupPlace()
        for start in stride(from: 0, to: count, by: 500) {
            try await place.append(
                Sample.crowd(start..<min(start + 500, count)), to: place.source)
        }
        if count > 1 {
            try await place.append([try Sample.event("n2", price: 5)], to: place.source)
        }
        let report = try await place.backUp()
        let original = try await place.content(place.source)
        #expect(report.description.position == original.head.position)
        #expect(report.description.root == original.head.root)
        #expect(report.byteCount == Int64(try Data(contentsOf: URL(filePath: place.backup)).count))
        let restored = try await place.restore()
        #expect(restored.before == nil)
        #expect(restored.setAside == nil)
        let copy = try await place.content(place.target)
        #expect(copy.head == original.head)
        #expect(copy.events == original.events)
        #expect(try place.names(place.directory.path) == ["log.backup", "source", "target"])
    }

    static let unsoundChanges = [
        "UPDATE events SET received_at = received_at + 1 WHERE position = 2",
        "UPDATE evidence SET bytes = NULL WHERE position = 2",
        "UPDATE evidence SET bytes = x'ff' WHERE position = 2",
    ]

    @Test(
        "A log that does not verify is not backed up, and no file is left",
        arguments: unsoundChanges)
    func unsoundLog(sql: String) async throws {
        let place = try BackupPlace()
        try await place.append(Sample.events(0..<3), to: place.source)
        try LogTampering(path: place.source + "/log.sqlite").run(sql)
        await #expect(throws: BackupPlace.failure(.logUnsound)) { try await place.backUp() }
        #expect(try place.names(place.directory.path) == ["source"])
    }

    @Test("An erasure during the copy is in the backup, with its tombstones")
    func erasedMeanwhile() async throws {
        let place = try BackupPlace()
        for start in stride(from: 0, to: 1_100, by: 300) {
            try await place.append(
                Sample.crowd(start..<min(start + 300, 1_100)), to: place.source)
        }
        let log = try await place.open(place.source)
        let report = try await LogBackup(log, environment: .production, to: place.backup).run {
            // The first of the erased events is copied by then, and the last is not.
            guard case .copying(let done, _) = $0, done >= 3,
                let head = try? await log.head(), head.position == 1_100,
                let erasure = try? LogErasureTests.erasure("e", [3, 1_053])
            else { return }
            _ = try? await log.erase(erasure, within: LogErasureTests.scope(1_100, []))
        }
        await log.close()
        #expect(report.description.position == 1_101)
        try await place.restore()
        let copy = try await place.content(place.target)
        #expect(copy.events.count == 1_101)
        #expect(copy.events.count { $0.attributes.chain == nil } == 3)
        #expect(try place.names(place.directory.path) == ["log.backup", "source", "target"])
    }

    @Test("The schema of a copy equals that of a log, statement by statement")
    func schema() async throws {
        let place = try BackupPlace()
        try await place.append(Sample.events(0..<3), to: place.source)
        try await place.backUp()
        try await place.restore()
        let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name"
        let original = try LogTampering(path: place.source + "/log.sqlite").strings(sql)
        let copy = try LogTampering(path: place.target + "/log.sqlite").strings(sql)
        #expect(copy == original)
    }

    @Test("No existing file is replaced", arguments: [false, true])
    func exists(isLink: Bool) async throws {
        let place = try BackupPlace()
        try await place.append(Sample.events(0..<3), to: place.source)
        if isLink {
            try FileManager.default.createSymbolicLink(
                atPath: place.backup, withDestinationPath: "nowhere")
        } else {
            try Data("mine".utf8).write(to: URL(filePath: place.backup))
        }
        await #expect(throws: BackupPlace.failure(.backupExists)) { try await place.backUp() }
        #expect(try place.names(place.directory.path) == ["log.backup", "source"])
    }

    @Test("A missing target directory is an ioError")
    func unwritable() async throws {
        let place = try BackupPlace()
        try await place.append(Sample.events(0..<3), to: place.source)
        let log = try await place.open(place.source)
        await #expect(throws: StoreError(.ioError, reason: "", remedy: "")) {
            try await LogBackup(log, environment: .production, to: place.file("none/x")).run()
        }
        await log.close()
    }

    @Test("With concurrent appends, the backup is the log as of one moment")
    func duringAppends() async throws {
        let place = try BackupPlace()
        try await place.append(Sample.crowd(0..<500), to: place.source)
        let other = try await place.open(place.source)
        let report = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for start in stride(from: 500, to: 1_000, by: 10) {
                    _ = try await other.append(Sample.events(start..<start + 10))
                }
            }
            let report = try await place.backUp()
            try await group.waitForAll()
            return report
        }
        await other.close()
        #expect(report.description.position >= 500)
        try await place.restore()
        let (all, copy) = (
            try await place.content(place.source), try await place.content(place.target)
        )
        #expect(all.head.position == 1_000)
        #expect(copy.events == Array(all.events.prefix(Int(report.description.position))))
    }

    // MARK: Leftovers of a run that died

    private func stale(_ place: BackupPlace, _ digits: String) throws -> String {
        let path = place.file("old.backup.partial-\(digits)")
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false)
        return path
    }

    @Test("Leftovers of a run that died are removed; other files stay")
    func stale() async throws {
        let place = try BackupPlace()
        try await place.append(Sample.events(0..<3), to: place.source)
        let dead = try stale(place, "0123456789abcdef")
        for name in ["subledger.partial", "log.sqlite", "log.sqlite-wal"] {
            try Data("x".utf8).write(to: URL(filePath: "\(dead)/\(name)"))
        }
        _ = try stale(place, "00000000000000ff")
        let foreign = try stale(place, "1123456789abcdef")
        try Data("x".utf8).write(to: URL(filePath: "\(foreign)/log.sqlite"))
        let mixed = try stale(place, "2123456789abcdef")
        for name in ["subledger.partial", "mine"] {
            try Data("x".utf8).write(to: URL(filePath: "\(mixed)/\(name)"))
        }
        let alive = try StagingDirectory.make(for: place.file("other"))
        try await place.backUp()
        let left = try place.names(place.directory.path)
        #expect(
            left == [
                "log.backup", "old.backup.partial-1123456789abcdef",
                "old.backup.partial-2123456789abcdef", (alive.path as NSString).lastPathComponent,
                "source",
            ])
        #expect(try place.names(mixed) == ["mine"])
        alive.remove()
    }

    @Test("Leftovers that could not be removed keep their marker; a later run removes them")
    func stubborn() async throws {
        let place = try BackupPlace()
        try await place.append(Sample.events(0..<3), to: place.source)
        let dead = try stale(place, "0123456789abcdef")
        try Data("x".utf8).write(to: URL(filePath: "\(dead)/subledger.partial"))
        // unlink refuses a directory, even for the superuser.
        try FileManager.default.createDirectory(
            atPath: "\(dead)/log.sqlite", withIntermediateDirectories: false)
        try await place.backUp()
        #expect(try place.names(dead) == ["log.sqlite", "subledger.partial"])
        try FileManager.default.removeItem(atPath: "\(dead)/log.sqlite")
        try FileManager.default.removeItem(atPath: place.backup)
        try await place.backUp()
        let left = try place.names(place.directory.path)
        #expect(left == ["log.backup", "source"])
    }
}
