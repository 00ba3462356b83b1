import Faults
import Foundation
import LedgerTestSupport
import Simulator
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

@Suite("The write-ahead log of a killed process")
struct DamagedWriteAheadLogTests {
    /// Frames are aligned to this size.
    private static let frameByteCount = 24 + EventLog.pageByteCount

    /// The files of a killed process: `transactions` of one event each, none of them checkpointed.
    private static func killed(after transactions: Int) async throws -> TemporaryDirectory {
        let origin = try TemporaryDirectory()
        let left = try TemporaryDirectory()
        let log = try await EventLog.open(directory: origin.path)
        for number in 0..<transactions {
            _ = try await log.append(Sample.events(number..<(number + 1)))
        }
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: origin.file("log.sqlite" + suffix), toPath: left.file("log.sqlite" + suffix)
            )
        }
        await log.close()
        return left
    }

    /// The indexes of the frames that end transactions.
    private static func ends(of log: Data) -> [Int] {
        (0..<((log.count - 32) / frameByteCount)).filter { frame in
            let start = 32 + frame * frameByteCount
            return log[(start + 4)..<(start + 8)].contains { $0 != 0 }
        }
    }

    private static func check(_ log: Data, in directory: TemporaryDirectory) throws -> StoreError? {
        let path = directory.file("log.sqlite")
        try log.write(to: URL(filePath: path + "-wal"))
        do throws(StoreError) {
            try WriteAheadLogCheck(path: path, pageByteCount: EventLog.pageByteCount).run()
            return nil
        } catch { return error }
    }

    private static func flipped(_ log: Data, _ byte: Int, _ bit: Int) -> Data {
        var log = log
        log[byte] ^= 1 << UInt8(bit)
        return log
    }

    @Test("Any bit flipped before the last two transactions is detected")
    func flips() async throws {
        let directory = try await Self.killed(after: 5)
        let log = try Data(contentsOf: URL(filePath: directory.file("log.sqlite-wal")))
        let ends = Self.ends(of: log)
        #expect(ends.count >= 5)
        #expect(try Self.check(log, in: directory) == nil)
        var chance = SeededGenerator(seed: 11)
        let certain = 32 + ends[ends.count - 2] * Self.frameByteCount
        var places = Array(stride(from: 0, to: 32, by: Soak.isOn ? 1 : 2))
        for frame in 0..<ends[ends.count - 2] {
            let start = 32 + frame * Self.frameByteCount
            // Every field of the header of the first frame, and of those beside the ends of
            // transactions.
            let isWhole = frame == 0 || ends.contains { abs($0 - frame) <= 1 }
            let step = Soak.isOn ? 1 : isWhole ? 3 : 6
            places += (start..<(start + 24)).filter { ($0 + frame) % step == 0 }
            places += (0..<Soak.count(3, soak: 40)).map { _ in
                Int.random(in: (start + 24)..<(start + Self.frameByteCount), using: &chance)
            }
        }
        for place in places {
            #expect(place < certain)
            let bit = Int.random(in: 0..<8, using: &chance)
            let error = try Self.check(Self.flipped(log, place, bit), in: directory)
            #expect(error?.code == .fileCorrupt, "bit \(bit) of byte \(place)")
        }
    }

    @Test("Truncation anywhere or a partial last transaction is no damage")
    func torn() async throws {
        let directory = try await Self.killed(after: 4)
        let log = try Data(contentsOf: URL(filePath: directory.file("log.sqlite-wal")))
        let ends = Self.ends(of: log)
        for frame in 0...((log.count - 32) / Self.frameByteCount) {
            for extra in [-1, 0, 1, 23, 24] {
                let count = 32 + frame * Self.frameByteCount + extra
                guard count >= 0, count <= log.count else { continue }
                #expect(try Self.check(log.prefix(count), in: directory) == nil)
            }
        }
        for frame in (ends[ends.count - 2] + 1)...ends[ends.count - 1] {
            var half = log
            let start = 32 + frame * Self.frameByteCount
            half.resetBytes(in: start..<(start + Self.frameByteCount))
            #expect(try Self.check(half, in: directory) == nil)
            half = log
            half.resetBytes(in: (start + 24 + 4_096)..<(start + Self.frameByteCount))
            #expect(try Self.check(half, in: directory) == nil)
        }
    }

    @Test("Stale frames of a log that was restarted since are ignored")
    func storeRestart() async throws {
        let place = try TemporaryDirectory()
        let log = try await EventLog.open(directory: place.path)
        for number in 0..<6 { _ = try await log.append(Sample.events(number..<(number + 1))) }
        try await log.checkpoint()
        // The next transaction begins at the start again, before the checkpointed frames.
        _ = try await log.append(Sample.events(6..<7))
        let left = try TemporaryDirectory()
        let bytes = try Data(contentsOf: URL(filePath: place.file("log.sqlite-wal")))
        #expect(Self.ends(of: bytes).count >= 6)
        #expect(try Self.check(bytes, in: left) == nil)
        var torn = bytes
        torn.resetBytes(in: 0..<32)
        #expect(try Self.check(torn, in: left) == nil)
        await log.close()
    }

    @Test("A restart interrupted in any byte of the header loses nothing, and is no damage")
    func interruptedRestart() async throws {
        let place = try TemporaryDirectory()
        let log = try await EventLog.open(directory: place.path)
        for number in 0..<3 { _ = try await log.append(Sample.events(number..<(number + 1))) }
        try await log.checkpoint()
        let before = try Data(contentsOf: URL(filePath: place.file("log.sqlite-wal")))
        let left = try TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: place.file("log.sqlite"), toPath: left.file("log.sqlite"))
        _ = try await log.append(Sample.events(3..<4))
        let after = try Data(contentsOf: URL(filePath: place.file("log.sqlite-wal")))
        #expect(before.prefix(32) != after.prefix(32))
        for count in 0...32 {
            let torn = after.prefix(count) + before.dropFirst(count)
            #expect(try Self.check(torn, in: left) == nil, "\(count) bytes")
        }
        // The same header over a transaction that only the log holds is damage.
        let torn = after.prefix(18) + before.dropFirst(18)
        try Data(count: EventLog.pageByteCount).write(to: URL(filePath: left.file("log.sqlite")))
        #expect(try Self.check(torn, in: left)?.code == .fileCorrupt)
        await log.close()
    }

    @Test("A damaged log is not opened, and keeps every byte")
    func refused() async throws {
        let directory = try await Self.killed(after: 5)
        let path = directory.file("log.sqlite-wal")
        let log = try Data(contentsOf: URL(filePath: path))
        let spoilt = Self.flipped(log, 32 + 24 + 100, 3)
        try spoilt.write(to: URL(filePath: path))
        await #expect {
            _ = try await EventLog.open(directory: directory.path)
        } throws: { ($0 as? StoreError)?.code == .fileCorrupt }
        #expect(try Data(contentsOf: URL(filePath: path)) == spoilt)
        try log.write(to: URL(filePath: path))
        let opened = try await EventLog.open(directory: directory.path)
        #expect(try await opened.head().position == 5)
        #expect(try await opened.verify().isSound)
        await opened.close()
    }

    /// How many frames, from the first on, were written after the header.
    private static func writtenCount(_ log: Data) -> Int {
        (0..<((log.count - 32) / frameByteCount)).prefix { frame in
            let start = 32 + frame * frameByteCount
            return log[(start + 8)..<(start + 16)] == log[16..<24]
        }.count
    }

    @Test("What another process writes between two reads of a walk is no damage")
    func writtenMeanwhile() async throws {
        let place = try TemporaryDirectory()
        let path = place.file("log.sqlite-wal")
        let log = try await EventLog.open(directory: place.path)
        var number = 0
        func append(until isEnough: (Data) -> Bool) async throws -> Data {
            while true {
                _ = try await log.append(Sample.events(number..<(number + 1)))
                number += 1
                let bytes = try Data(contentsOf: URL(filePath: path))
                if isEnough(bytes) { return bytes }
            }
        }
        // Old frames follow the new ones, as in a log that was restarted.
        _ = try await append { Self.writtenCount($0) > 300 }
        try await log.checkpoint()
        let before = try await append { (40...100).contains(Self.writtenCount($0)) }
        let after = try await append { Self.writtenCount($0) > 200 }
        #expect(before.prefix(32) == after.prefix(32))
        await log.close()

        let left = try TemporaryDirectory()
        let target = URL(filePath: left.file("log.sqlite-wal"))
        func check(_ later: Data) throws -> StoreError? {
            try before.write(to: target)
            let file = try FileHandle(forWritingTo: target)
            defer { try? file.close() }
            var blockCount = 0
            do throws(StoreError) {
                try WriteAheadLogCheck(
                    path: left.file("log.sqlite"), pageByteCount: EventLog.pageByteCount
                ).run {
                    blockCount += 1
                    if blockCount == 1 { try? file.write(contentsOf: later) }
                }
                #expect(blockCount > 1)
                return nil
            } catch { return error }
        }
        #expect(try check(after) == nil)
        // Damage of what was written before is found all the same.
        let damaged = Self.flipped(after, 32 + 24 + 100, 3)
        #expect(try check(damaged)?.code == .fileCorrupt)

        // Another process that closes the file deletes this one before the next walk.
        try damaged.write(to: target)
        try WriteAheadLogCheck(
            path: left.file("log.sqlite"), pageByteCount: EventLog.pageByteCount
        ).run { try? FileManager.default.removeItem(at: target) }
        #expect(!FileManager.default.fileExists(atPath: target.path))
    }

    @Test("A log that is open elsewhere is not checked")
    func shared() async throws {
        let place = try TemporaryDirectory()
        let log = try await EventLog.open(directory: place.path)
        _ = try await log.append(Sample.events(0..<1))
        #expect(FileLocks.isAnyHeld(on: place.file("log.sqlite-shm")))
        let second = try await EventLog.open(directory: place.path)
        #expect(try await second.head().position == 1)
        await second.close()
        await log.close()
        #expect(!FileLocks.isAnyHeld(on: place.file("log.sqlite")))
        #expect(!FileLocks.isAnyHeld(on: place.file("nothing")))
    }

    @Test("Files are named as in the kernel's lock table")
    func names() {
        #expect(FileLocks.name(device: 0x0801, inode: 12) == "08:01:12")
        #expect(FileLocks.name(device: 0xFE00, inode: 1_234_567) == "fe:00:1234567")
        #expect(FileLocks.name(device: 0x1_0310_3F05, inode: 5) == "3f:103105:5")
    }
}
