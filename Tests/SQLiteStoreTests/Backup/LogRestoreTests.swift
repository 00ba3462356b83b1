import AppStore
import Faults
import Foundation
import Ledger
import LedgerTestSupport
import Migrations
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

@Suite("Restoring a log")
struct LogRestoreTests {
    /// The backup of a log of five events.
    private static let backup = Task {
        let place = try BackupPlace()
        try await place.append(Sample.events(0..<5), to: place.source)
        try await place.backUp()
        return try Data(contentsOf: URL(filePath: place.backup))
    }

    private func backedUp() async throws -> BackupPlace {
        let place = try BackupPlace()
        try await Self.backup.value.write(to: URL(filePath: place.backup))
        return place
    }

    // MARK: Refused backups

    @Test("A backup truncated anywhere is refused, and nothing is restored")
    func cutShort() async throws {
        let place = try await backedUp()
        let whole = try Data(contentsOf: URL(filePath: place.backup))
        let lengths =
            [0, 1, 99, 100, 8_192, whole.count / 2, whole.count - 1]
            + stride(from: whole.count - 260, to: whole.count, by: Soak.isOn ? 1 : 3)
        for length in lengths {
            try whole.prefix(length).write(to: URL(filePath: place.backup))
            let error = await #expect(throws: BackupError.self) { try await place.restore() }
            #expect(
                [.backupForeign, .backupDamaged].contains(error?.code), "\(length): \(error?.code)")
        }
        #expect(!FileManager.default.fileExists(atPath: place.target))
    }

    @Test("A backup with any bit flipped is refused, including free space and description")
    func flippedBit() async throws {
        let place = try await backedUp()
        let whole = try Data(contentsOf: URL(filePath: place.backup))
        var offsets = Array(stride(from: 0, to: whole.count, by: 1_009))
        offsets += stride(from: whole.count - 240, to: whole.count, by: Soak.isOn ? 1 : 3)
        offsets.append(whole.count - 1)
        for offset in offsets {
            var copy = whole
            copy[offset] ^= 1 << UInt8((offset * 5 + offset / 8) % 8)
            try copy.write(to: URL(filePath: place.backup))
            let error = await #expect(throws: BackupError.self, "offset \(offset)") {
                try await place.restore()
            }
            let codes: [BackupError.Code] = [
                .backupForeign, .backupDamaged, .backupEnvironment, .backupNewer,
            ]
            #expect(error.map { codes.contains($0.code) } == true, "\(offset): \(error?.code)")
        }
        #expect(try place.names(place.target).allSatisfy { $0 == "projector.lock" })
    }

    @Test("A backup with bytes after the description is refused")
    func longer() async throws {
        let place = try await backedUp()
        try place.rewrite(place.backup) { $0.append(contentsOf: Data("x\n".utf8)) }
        await #expect(throws: BackupPlace.failure(.backupForeign)) { try await place.restore() }
    }

    @Test("A log that does not verify is refused, even with a matching description")
    func unsoundInside() async throws {
        let place = try await backedUp()
        let description = try BackupFile(place.backup).description
        try place.rewrite(place.backup) { $0.removeLast($0.count - Int(description.byteCount)) }
        try LogTampering(path: place.backup).run(
            "UPDATE events SET received_at = received_at + 1 WHERE position = 2")
        try describe(place, position: description.position, root: description.root)
        await #expect(throws: BackupPlace.failure(.backupDamaged)) { try await place.restore() }
    }

    @Test("A sound log that does not match the description is refused")
    func otherLog() async throws {
        let place = try await backedUp()
        let description = try BackupFile(place.backup).description
        try place.rewrite(place.backup) { $0.removeLast($0.count - Int(description.byteCount)) }
        try describe(place, position: description.position + 1, root: description.root)
        await #expect(throws: BackupPlace.failure(.backupDamaged)) { try await place.restore() }
    }

    @Test(
        "A description that states another size is refused, whatever the number",
        arguments: [.max, .min, -1, 0] as [Int64])
    func otherSize(_ byteCount: Int64) async throws {
        let place = try await backedUp()
        let description = try BackupFile(place.backup).description
        try place.rewrite(place.backup) { $0.removeLast($0.count - Int(description.byteCount)) }
        try describe(
            place, position: description.position, root: description.root, byteCount: byteCount)
        await #expect(throws: BackupPlace.failure(.backupDamaged)) { try await place.restore() }
    }

    @Test("A backup with a newer format or schema is refused with that code")
    func newer() async throws {
        let place = try await backedUp()
        let description = try BackupFile(place.backup).description
        try place.rewrite(place.backup) { $0.removeLast($0.count - Int(description.byteCount)) }
        try LogTampering(path: place.backup).run(
            "INSERT INTO migrations VALUES (\(SchemaHistory.log.count + 1), 'later', x'00')")
        try describe(place, position: description.position, root: description.root)
        await #expect(throws: BackupPlace.failure(.backupNewer)) { try await place.restore() }
        try place.rewrite(place.backup) { data in
            let old = Data(#"{"subledgerBackup":1,"#.utf8)
            if let range = data.range(of: old, options: .backwards) {
                data.replaceSubrange(range, with: Data(#"{"subledgerBackup":3,"#.utf8))
            }
        }
        await #expect(throws: BackupPlace.failure(.backupNewer)) { try await place.restore() }
    }

    /// Writes a description of the file's current contents.
    private func describe(
        _ place: BackupPlace, position: Int64, root: Digest, byteCount stated: Int64? = nil
    ) throws {
        let (byteCount, digest) = try OpenFile.reading(place.backup).digest()
        let description = BackupDescription(
            environment: .production,
            head: LogHead(position: position, root: root, newestReceivedAt: nil),
            byteCount: stated ?? byteCount, digest: digest)
        try OpenFile.appending(place.backup).write(description.encoded())
    }

    @Test("A backup of another environment is refused")
    func otherEnvironment() async throws {
        let place = try await backedUp()
        await #expect(throws: BackupPlace.failure(.backupEnvironment)) {
            try await place.restore(.sandbox)
        }
    }

    @Test(
        "Other files are refused as foreign", arguments: ["", "\n", "words\n", "{}\n", "\n{}\n"])
    func foreign(content: String) async throws {
        let place = try BackupPlace()
        try Data(content.utf8).write(to: URL(filePath: place.backup))
        await #expect(throws: BackupPlace.failure(.backupForeign)) { try await place.restore() }
    }

    @Test("A missing backup is unreadable")
    func missing() async throws {
        let place = try BackupPlace()
        await #expect(throws: BackupPlace.failure(.backupUnreadable)) { try await place.restore() }
        // Neither is a device or a pipe read.
        try #require(symlink("/dev/null", place.backup) == 0)
        await #expect(throws: BackupPlace.failure(.backupUnreadable)) { try await place.restore() }
    }

    @Test("The longest description is shorter than the number of bytes read")
    func descriptionBound() {
        let head = LogHead(
            position: .max, root: Digest(words: (.max, .max, .max, .max)), newestReceivedAt: nil)
        let longest = BackupDescription(
            environment: .localTesting, head: head, byteCount: .max,
            digest: Digest(words: (.max, .max, .max, .max)), hasCheckpoints: true)
        #expect(longest.encoded().count < BackupDescription.maximumByteCount)
    }

    // MARK: The existing log

    @Test("A log with events is replaced only on request, and then kept")
    func replace() async throws {
        let place = try await backedUp()
        try await place.append(Sample.events(100..<107), to: place.target)
        let old = try await place.content(place.target)
        await #expect(throws: BackupPlace.failure(.logExists)) { try await place.restore() }
        #expect(try await place.content(place.target).events == old.events)
        let report = try await place.restore(replaces: true)
        #expect(report.before == .position(7) && report.isOfOtherLog)
        #expect(report.head.position == 5)
        let aside = try #require(report.setAside)
        #expect(aside.hasSuffix("/log-replaced-2030-03-17T174640.000Z.sqlite"))
        #expect(try await place.content(place.target).events.count == 5)
        let kept = place.file("kept")
        try FileManager.default.createDirectory(
            atPath: kept, withIntermediateDirectories: false)
        try FileManager.default.moveItem(atPath: aside, toPath: kept + "/log.sqlite")
        #expect(try await place.content(kept).events == old.events)
    }

    @Test("Replaced twice in one millisecond, both old logs are kept")
    func replaceTwice() async throws {
        let place = try await backedUp()
        try await place.restore()
        let first = try await place.restore(replaces: true)
        let second = try await place.restore(replaces: true)
        #expect(first.setAside != second.setAside)
        #expect(!first.isOfOtherLog && !second.isOfOtherLog)
        let kept = try place.names(place.target).filter { $0.hasPrefix("log-replaced-") }
        #expect(kept.count == 2)
    }

    @Test("An empty log is replaced without request, and not kept")
    func emptyLog() async throws {
        let place = try await backedUp()
        try await place.open(place.target).close()
        let report = try await place.restore()
        #expect(report.before == .position(0))
        #expect(report.setAside == nil)
        #expect(try place.names(place.target) == ["log.sqlite", "projector.lock"])
    }

    @Test("An unreadable log is replaced only on request, and kept unchanged")
    func damagedLog() async throws {
        let place = try await backedUp()
        try FileManager.default.createDirectory(
            atPath: place.target, withIntermediateDirectories: false)
        let words = Data(String(repeating: "words ", count: 4_000).utf8)
        let log = place.target + "/log.sqlite"
        try words.write(to: URL(filePath: log))
        try Data("frames".utf8).write(to: URL(filePath: log + "-wal"))
        await #expect(throws: BackupPlace.failure(.logExists)) { try await place.restore() }
        #expect(try Data(contentsOf: URL(filePath: log)) == words)
        let report = try await place.restore(replaces: true)
        #expect(report.before == .unreadable)
        let aside = try #require(report.setAside)
        #expect(try Data(contentsOf: URL(filePath: aside)) == words)
        #expect(try Data(contentsOf: URL(filePath: aside + "-wal")) == Data("frames".utf8))
        #expect(!FileManager.default.fileExists(atPath: log + "-wal"))
        #expect(try await place.content(place.target).events.count == 5)
    }

    @Test("An open log is not replaced")
    func inUse() async throws {
        let place = try await backedUp()
        try await place.append(Sample.events(0..<3), to: place.target)
        let log = try await place.open(place.target)
        await #expect(throws: BackupPlace.failure(.logInUse)) {
            try await place.restore(replaces: true)
        }
        #expect(try await log.head().position == 3)
        await log.close()
        #expect(try await place.restore(replaces: true).head.position == 5)
    }

    @Test("Nothing is restored while another process projects")
    func projecting() async throws {
        let place = try await backedUp()
        try FileManager.default.createDirectory(
            atPath: place.target, withIntermediateDirectories: false)
        let lock = try #require(try ProjectorLock.take(directory: place.target))
        await #expect(throws: BackupPlace.failure(.projectorBusy)) { try await place.restore() }
        withExtendedLifetime(lock) {}
    }

    @Test("Derived files lose their current names, and nothing else")
    func derived() async throws {
        let place = try await backedUp()
        try FileManager.default.createDirectory(
            atPath: place.target, withIntermediateDirectories: false)
        let facts = "facts-\(Fact.decoderVersion)"
        for name in ["\(facts).sqlite", "\(facts).sqlite-wal", "\(facts)-2.sqlite", "mine.sqlite"] {
            try Data("x".utf8).write(to: URL(filePath: "\(place.target)/\(name)"))
        }
        try FileManager.default.createSymbolicLink(
            atPath: place.target + "/projections.sqlite",
            withDestinationPath: "projections-\(Lifecycle.reducerVersion)-1.sqlite")
        try await place.restore()
        #expect(
            try place.names(place.target) == [
                "\(facts)-2.sqlite", "log.sqlite", "mine.sqlite", "projector.lock",
            ])
    }

    /// A log whose last process was killed: its events are only in the write-ahead log.
    private func killedTarget(_ place: BackupPlace) async throws {
        let origin = place.file("killed")
        let log = try await place.open(origin)
        for number in 200..<203 { _ = try await log.append(Sample.events(number..<(number + 1))) }
        try FileManager.default.copyItem(atPath: origin, toPath: place.target)
        try FileManager.default.removeItem(atPath: place.target + "/log.sqlite-shm")
        await log.close()
    }

    @Test(
        "An orphaned write-ahead log is kept, and not replayed into the restored log")
    func orphan() async throws {
        let place = try await backedUp()
        try await killedTarget(place)
        let left = place.target + "/log.sqlite"
        let writes = try Data(contentsOf: URL(filePath: left + "-wal"))
        #expect(!writes.isEmpty)
        try FileManager.default.removeItem(atPath: left)
        let report = try await place.restore()
        #expect(report.before == nil)
        let aside = try #require(report.setAside)
        #expect(aside.hasSuffix("/log-replaced-2030-03-17T174640.000Z.sqlite-wal"))
        #expect(try Data(contentsOf: URL(filePath: aside)) == writes)
        #expect(!FileManager.default.fileExists(atPath: left + "-wal"))
        #expect(try await place.content(place.target).events.count == 5)
        // A kept file does not block another restore, whatever else exists.
        let next = try await place.restore(replaces: true)
        #expect(next.setAside?.hasSuffix("000Z-2.sqlite") == true)
        #expect(try Data(contentsOf: URL(filePath: aside)) == writes)
    }

    @Test("An empty file beside a write-ahead log is an unreadable log")
    func emptied() async throws {
        let place = try await backedUp()
        try await killedTarget(place)
        let log = place.target + "/log.sqlite"
        let writes = try Data(contentsOf: URL(filePath: log + "-wal"))
        try Data().write(to: URL(filePath: log))
        await #expect(throws: BackupPlace.failure(.logExists)) { try await place.restore() }
        #expect(try Data(contentsOf: URL(filePath: log + "-wal")) == writes)
        let report = try await place.restore(replaces: true)
        #expect(report.before == .unreadable)
        let aside = try #require(report.setAside)
        #expect(try Data(contentsOf: URL(filePath: aside + "-wal")) == writes)
        #expect(try await place.content(place.target).events.count == 5)
    }

    @Test(
        "Killed or failed before the copy has the name, a log keeps its last events or is refused",
        arguments: 0..<4)
    func killedBeforeName(step: Int) async throws {
        // given
        let place = try await backedUp()
        try await killedTarget(place)
        let log = place.target + "/log.sqlite"
        try place.rewrite(log + "-wal") { $0[32 + 24 + 100] ^= 8 }
        let left = try ["", "-wal"].map { try Data(contentsOf: URL(filePath: log + $0)) }
        let replaced = ReplacedLog(log: log, now: place.now)
        // when
        switch step {
        case 0: #expect(link(log, place.target + "/log-replaced-2030.sqlite") == 0)
        case 1, 2: _ = try replaced.keep()
        default: try await failBeforeName(place, replaces: true)
        }
        if step == 2 { try replaced.removeSidecars() }
        // then
        let refused = StoreError(.fileCorrupt, reason: "", remedy: "")
        await #expect(throws: refused) { _ = try await place.open(place.target) }
        await #expect(throws: refused) { _ = try await CopiedLog.open(place.target) }
        await #expect(throws: BackupPlace.failure(.logExists)) { try await place.restore() }
        let names = ["log.sqlite", "log.sqlite-wal", "projector.lock"]
        #expect(try place.names(place.target) == names)
        await #expect(throws: refused) { _ = try await place.open(place.target) }
        let report = try await place.restore(replaces: true)
        #expect(report.before == .unreadable)
        let aside = try #require(report.setAside)
        #expect(try ["", "-wal"].map { try Data(contentsOf: URL(filePath: aside + $0)) } == left)
        #expect(try await place.content(place.target).events.count == 5)
    }

    /// A restore that fails in the last step before the copy gets the log's name.
    private func failBeforeName(_ place: BackupPlace, replaces: Bool) async throws {
        let obstacle = place.target + "/log.sqlite-shm"
        try FileManager.default.createDirectory(
            atPath: obstacle, withIntermediateDirectories: false)
        await #expect(throws: StoreError(.ioError, reason: "", remedy: "")) {
            try await place.restore(replaces: replaces)
        }
        try FileManager.default.removeItem(atPath: obstacle)
    }

    @Test("A log that was written to without its write-ahead log does not get it back")
    func writtenSince() async throws {
        let place = try await backedUp()
        try await killedTarget(place)
        let log = place.target + "/log.sqlite"
        let aside = try ReplacedLog(log: log, now: place.now).keep()
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: 3_600)], ofItemAtPath: log)
        ReplacedLog.removeUnfinished(log)
        #expect(!FileManager.default.fileExists(atPath: log + "-wal"))
        #expect(FileManager.default.fileExists(atPath: aside + "-wal"))
        #expect(try await place.restore(replaces: true).before == .unreadable)
        #expect(try await place.content(place.target).events.count == 5)
    }

    @Test("Where only a kept write-ahead log is left of a log, no other log is begun")
    func orphanKept() async throws {
        let place = try await backedUp()
        try await killedTarget(place)
        try FileManager.default.removeItem(atPath: place.target + "/log.sqlite")
        try await failBeforeName(place, replaces: false)
        #expect(!FileManager.default.fileExists(atPath: place.target + "/log.sqlite-wal"))
        await #expect(throws: StoreError(.fileReplaced, reason: "", remedy: "")) {
            _ = try await place.open(place.target)
        }
        #expect(try await place.restore().before == nil)
        #expect(try await place.content(place.target).events.count == 5)
    }
}
