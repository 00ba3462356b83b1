import AppStore
import Foundation
import LedgerTestSupport
import Signing
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

@Suite("Checkpoints in backups")
struct CheckpointBackupTests {
    private static func checkpoint(_ size: Int64, root: String = "r") -> StoredCheckpoint {
        StoredCheckpoint(
            size: size, note: "a\n\(size)\n\(root)\n\n\u{2014} a AAAAAA==\n",
            signedAt: Timestamp(milliseconds: size))
    }

    /// A backup of five events and of checkpoints.
    private func backedUp(_ sizes: [Int64]) async throws -> BackupPlace {
        let place = try BackupPlace()
        try await place.append(Sample.events(0..<5), to: place.source)
        let operations = try await OperationsStore.open(directory: place.source)
        _ = try await operations.adopt(sizes.map { CheckpointBackupTests.checkpoint($0) })
        let report = try await place.backUp(checkpointsOf: operations)
        #expect(report.checkpointCount == sizes.count)
        #expect(report.description.hasCheckpoints == !sizes.isEmpty)
        await operations.close()
        return place
    }

    private func kept(_ place: BackupPlace) async throws -> [StoredCheckpoint] {
        let operations = try await OperationsStore.open(directory: place.target)
        let kept = try await operations.checkpoints(after: -1, limit: 5_000)
        await operations.close()
        return kept
    }

    @Test("They are restored with the log, also one that shows that the log was cut")
    func restored() async throws {
        let sizes: [Int64] = [0, 3, 5, 9]
        let place = try await backedUp(sizes)
        let report = try await place.restore()
        #expect(report.checkpoints.count == 4 && report.checkpoints.refusedCount == 0)
        #expect(try await kept(place) == sizes.map { CheckpointBackupTests.checkpoint($0) })
        // What is in place is a log like any other.
        let (original, copy) = (
            try await place.content(place.source), try await place.content(place.target)
        )
        #expect(original.head == copy.head && original.events == copy.events)
        let names = ["log.sqlite", "operations.sqlite", "projector.lock"]
        #expect(try place.names(place.target).filter { !$0.contains("-") } == names)
    }

    @Test("Without checkpoints a backup is as earlier releases wrote it")
    func none() async throws {
        let place = try await backedUp([])
        #expect(try await place.restore().checkpoints.count == 0)
        let operations = OperationsStore.fileName
        #expect(try place.names(place.target).contains(operations) == false)
        let bytes = try Data(contentsOf: URL(filePath: place.backup))
        #expect(bytes.range(of: Data(#"{"subledgerBackup":1,"#.utf8)) != nil)
    }

    @Test("A page of checkpoints, and one more", arguments: [0, 1])
    func pages(more: Int64) async throws {
        let count = Int64(CheckpointCopy.pageCount) + more
        let place = try await backedUp(Array(1...count))
        #expect(try await place.restore().checkpoints.count == Int(count))
        #expect(try await kept(place).map(\.size) == Array(1...count))
    }

    @Test(
        "Damaged operational state keeps no log from being backed up, and its remedy is no backup",
        arguments: [1, 300])
    func damaged(count: Int64) async throws {
        // given
        let place = try BackupPlace()
        try await place.append(Sample.events(0..<5), to: place.source)
        let kept = try await OperationsStore.open(directory: place.source)
        _ = try await kept.adopt((1...count).map { CheckpointBackupTests.checkpoint($0) })
        await kept.close()
        let byteCount = OperationsStore.pageByteCount
        let text = Data(CheckpointBackupTests.checkpoint(1).note.utf8)
        try place.rewrite("\(place.source)/\(OperationsStore.fileName)") { data in
            // Of several pages the first, so that the newest checkpoint can be read.
            guard let found = data.range(of: text)?.lowerBound else { return }
            let start = found / byteCount * byteCount
            let noise = Data(repeating: 0xA5, count: byteCount)
            data.replaceSubrange(start..<start + byteCount, with: noise)
        }
        let operations = try await OperationsStore.open(directory: place.source)
        // when
        let report = try await place.backUp(checkpointsOf: operations)
        await operations.close()
        // then
        #expect(report.description.position == 5 && report.checkpointCount == 0)
        #expect(report.checkpointsFailure?.code == .fileCorrupt)
        #expect(report.checkpointsFailure?.remedy.contains("move it away") == true)
        let restored = try await place.restore()
        #expect(restored.head.position == 5)
    }

    @Test("What is kept at the target stays: another of the same size is refused")
    func refused() async throws {
        let place = try await backedUp([3, 5])
        let operations = try await OperationsStore.open(directory: place.target)
        let other = CheckpointBackupTests.checkpoint(5, root: "other")
        try await operations.keep(other)
        await operations.close()
        let report = try await place.restore()
        #expect(report.checkpoints.count == 1 && report.checkpoints.refusedCount == 1)
        #expect(try await kept(place) == [CheckpointBackupTests.checkpoint(3), other])
    }

    @Test(
        "The keys of uploads to a replaced, an empty and a lost log are forgotten, with their events",
        arguments: [7, 0, nil] as [Int?])
    func uploadKeys(count: Int?) async throws {
        let place = try await backedUp([])
        if let count { try await place.append(Sample.events(0..<count), to: place.target) }
        func taken(_ text: String) async throws -> UploadKey {
            let operations = try await OperationsStore.open(directory: place.target)
            let state = try await operations.take(
                uploadKey: "k", request: SHA256.hash(Array(text.utf8)), at: place.now)
            await operations.close()
            return state
        }
        #expect(try await taken("one") == .new)
        #expect(try await taken("two") == .taken)
        _ = try await place.restore(replaces: true)
        #expect(try await taken("two") == .new)
    }

    @Test("A restore that is refused keeps no checkpoint")
    func unchanged() async throws {
        let place = try await backedUp([3])
        let whole = try Data(contentsOf: URL(filePath: place.backup))
        let note = try #require(whole.range(of: Data("\u{2014} a AAAAAA".utf8)))
        for offset in [note.lowerBound + 4, note.lowerBound - 3, whole.count - 9] {
            var copy = whole
            copy[offset] ^= 1
            try copy.write(to: URL(filePath: place.backup))
            await #expect(throws: BackupError.self) { try await place.restore() }
        }
        try whole.write(to: URL(filePath: place.backup))
        try await place.append(Sample.events(0..<1), to: place.target)
        await #expect(throws: BackupPlace.failure(.logExists)) { try await place.restore() }
        #expect(try await kept(place).isEmpty)
    }

    @Test("A restore that finds the log changed at its end keeps no checkpoint")
    func overtaken() async throws {
        let place = try await backedUp([3])
        try await place.append(Sample.events(0..<1), to: place.target)
        let log = place.target + "/log.sqlite"
        let restore = LogRestore(
            place.backup, into: place.target, environment: .production, replaces: true,
            now: place.now)
        await #expect(throws: BackupPlace.failure(.logInUse)) {
            // As another process that appends leaves the file.
            try await restore.run { _ in
                _ = try? FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: log)
            }
        }
        #expect(try await kept(place).isEmpty)
    }

    @Test("A log that is copied brings its checkpoints, whatever the engine")
    func copied() async throws {
        for engine in OperationsEngine.all {
            let place = try await backedUp([3, 5, 7])
            let source = try await OperationsStore.open(directory: place.source)
            let directory = try TemporaryDirectory()
            let target = try await engine.open(directory)
            let report = try await CheckpointCopy.run(from: source, through: 5, to: target)
            #expect(report.count == 2 && report.refusedCount == 0)
            #expect(try await target.newestCheckpointSize() == 5)
            #expect(try await source.newestCheckpointSize() == 7)
            await source.close()
            await target.close()
        }
    }
}
