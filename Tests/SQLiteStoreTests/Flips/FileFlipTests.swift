import Foundation
import LedgerTestSupport
import Simulator
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

@Suite("Any flipped bit in the file")
struct FileFlipTests {
    /// Bytes tested per file.
    static let sampleCount = Soak.count(60, soak: 8_000)

    /// Appended to a log in which a change was not detected, so that every tree is written.
    static let more = try! (0..<40).map { try Sample.command("more\($0)", Array("\($0)".utf8)) }

    /// The effect of changing one bit of a log.
    enum Outcome: Equatable {
        case refused(StoreError.Code)
        case reported
        case silent
    }

    /// Codes with which a damaged file may be refused when it is opened. The last is SQLite's
    /// generic error for an unknown schema format.
    static let refusals: Set<StoreError.Code> = [
        .fileCorrupt, .fileNotDatabase, .fileForeign, .fileChanged, .fileNewer, .databaseFailure,
    ]

    /// The file of a log of `SmallLog.crowd`, and its contents.
    private static let sound = Task {
        let origin = try TemporaryDirectory()
        try await SmallLog.make(try SmallLog.crowd(), in: origin)
        let path = origin.file("log.sqlite")
        return (bytes: try Data(contentsOf: URL(filePath: path)), dump: try LogDump(path: path))
    }

    @Test("It is refused or reported, unless no value or query result has changed")
    func everywhere() async throws {
        let events = try SmallLog.crowd()
        let (sound, dump) = try await Self.sound.value
        var chance = SeededGenerator(seed: Soak.seed)
        let stretch = max(1, sound.count / FileFlipTests.sampleCount)
        var counts = (refused: 0, reported: 0, silent: 0)
        // One byte of every interval, so that no page is left out; the first bytes are the file
        // header, of which a fourth is tested outside soak.
        let places = stride(from: 100, to: sound.count, by: stretch)
            .map { Int.random(in: $0..<min($0 + stretch, sound.count), using: &chance) }
        for place in Array(stride(from: 0, to: 100, by: Soak.isOn ? 1 : 4)) + places {
            let bit = Int.random(in: 0..<8, using: &chance)
            let note = Comment("bit \(bit) of byte \(place), seed \(Soak.seed)")
            let directory = try TemporaryDirectory()
            var bytes = sound
            bytes[place] ^= 1 << UInt8(bit)
            try bytes.write(to: URL(filePath: directory.file("log.sqlite")))
            switch try await outcome(directory) {
            case .refused(let code):
                counts.refused += 1
                #expect(FileFlipTests.refusals.contains(code), "\(note): \(code)")
            case .reported: counts.reported += 1
            case .silent:
                counts.silent += 1
                #expect(try LogDump(path: directory.file("log.sqlite")) == dump, note)
                try await expectWhole(events, directory, note)
            }
        }
        #expect(counts.reported > counts.refused)
        #expect(counts.refused > 0 && counts.silent > 0)
    }

    private func outcome(_ directory: TemporaryDirectory) async throws -> Outcome {
        let log: EventLog
        do throws(StoreError) {
            log = try await EventLog.open(directory: directory.path)
        } catch {
            return .refused(error.code)
        }
        let report = try await log.verify()
        await log.close()
        return report.isSound ? .silent : .reported
    }

    /// Every event is found by a search and recognised when it is appended again, and new events
    /// overwrite no other.
    private func expectWhole(
        _ events: [NewEvent], _ directory: TemporaryDirectory, _ note: Comment
    ) async throws {
        let log = try await EventLog.open(directory: directory.path)
        let positions = Array(1...Int64(events.count))
        do throws(StoreError) {
            let results = try await log.append(events)
            #expect(results == positions.map { .duplicate(of: $0) }, note)
            #expect(try await log.events(after: 0).map(\.position) == positions, note)
            _ = try await log.append(FileFlipTests.more)
            #expect(try await log.verify().isSound, note)
        } catch {
            Issue.record("\(note): \(error)")
        }
        await log.close()
    }

    @Test("A schema entry whose name became a BLOB is reported")
    func schemaType() async throws {
        let directory = try TemporaryDirectory()
        var bytes = try await Self.sound.value.bytes
        let entry = try #require(bytes.firstRange(of: Data("tableheadhead".utf8)))
        // The types of an entry's five columns precede them, the last as two bytes.
        bytes[entry.lowerBound - 5] ^= 1
        try bytes.write(to: URL(filePath: directory.file("log.sqlite")))
        #expect(try await outcome(directory) == .reported)
    }

    @Test(
        "A file header with false records about its pages", arguments: [35, 39, 52, 55])
    func header(byte: Int) async throws {
        for bit in stride(from: 0, to: 8, by: Soak.isOn ? 1 : 3) {
            let directory = try TemporaryDirectory()
            var bytes = try await Self.sound.value.bytes
            bytes[byte] ^= 1 << UInt8(bit)
            try bytes.write(to: URL(filePath: directory.file("log.sqlite")))
            if byte > 50 {
                await #expect {
                    _ = try await EventLog.open(directory: directory.path)
                } throws: { ($0 as? StoreError)?.code == .fileCorrupt }
                continue
            }
            let log = try await EventLog.open(directory: directory.path)
            let report = try await log.verify()
            #expect(report.findings.map(\.code) == [.fileDamaged], "bit \(bit)")
            await log.close()
        }
    }
}
