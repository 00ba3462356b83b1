import Foundation
import Simulator
import TestSupport
import Testing

@testable import LedgerStore
@testable import SQLiteStore

@Suite("Sorted runs")
struct RunSortTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Distributes records over `count` runs, some of which may stay empty.
    private func dealt(_ records: [RunRecord], over count: Int, seed: UInt64) -> [[RunRecord]] {
        var chance = SeededGenerator(seed: seed)
        var parts = [[RunRecord]](repeating: [], count: count)
        for record in records { parts[Int.random(in: 0..<count, using: &chance)].append(record) }
        return parts
    }

    // MARK: Edge cases

    @Test("Empty input gives empty output, however it is distributed")
    func empty() throws {
        #expect(RunBuffer().isEmpty)
        #expect(RunBuffer().byteCount == 0)
        #expect(try RunRecord.read(RunBuffer()).isEmpty)
        #expect(try RunRecord.read([RunFile]()).isEmpty)
        let runs = try RunRecord.runs([[], [], []], in: directory.path)
        #expect(try RunRecord.read(runs).isEmpty)
        #expect(try RunFile.joined([], directory: directory.path).isEmpty)
    }

    @Test("A missing directory is refused")
    func noDirectory() throws {
        #expect(throws: StoreError(.ioError, reason: "", remedy: "")) {
            try RunFile.write(sorted: RunBuffer(), directory: directory.file("none"))
        }
    }

    @Test("Runs are unnamed and leave no files behind")
    func unnamed() throws {
        let runs = try RunRecord.runs([RunRecord.random(50, seed: 1)], in: directory.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        #expect(try RunRecord.read(runs).count == 50)
    }

    @Test("An error of the consumer ends the walk and is rethrown")
    func failingConsumer() {
        var buffer = RunRecord.buffer(RunRecord.random(10, seed: 2))
        var count = 0
        #expect(throws: StoreError(.diskFull, reason: "", remedy: "")) {
            try buffer.inOrder { (_, _) throws(StoreError) in
                count += 1
                guard count < 3 else { throw StoreError(.diskFull, reason: "", remedy: "") }
            }
        }
        #expect(count == 3)
    }

    // MARK: Order

    @Test(
        "A buffer returns its records in bytewise order",
        arguments: 1...5 as ClosedRange<UInt64>)
    func buffer(seed: UInt64) throws {
        let records = RunRecord.random(200, seed: seed)
        let read = try RunRecord.read(RunRecord.buffer(records))
        #expect(read == RunRecord.ordered(records), "seed \(seed)")
    }

    @Test("Keys shorter than eight bytes differ from those ended by NUL")
    func prefixes() throws {
        let keys: [[UInt8]] = [
            [], [0], [0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 1], [1],
            [1, 0], [255], [255, 0], [255, 255],
        ]
        let records = keys.reversed().map { RunRecord(key: $0, value: $0) }
        #expect(try RunRecord.read(RunRecord.buffer(records)).map(\.key) == keys)
    }

    @Test("An appended buffer keeps all records", arguments: 1...2 as ClosedRange<UInt64>)
    func appended(seed: UInt64) throws {
        let records = RunRecord.random(120, seed: seed)
        var first = RunRecord.buffer(records[..<70])
        let second = RunRecord.buffer(records[70...])
        let count = first.byteCount + second.byteCount
        first.append(second)
        first.append(RunBuffer())
        #expect(first.byteCount == count)
        #expect(try RunRecord.read(first) == RunRecord.ordered(records), "seed \(seed)")
        var none = RunBuffer()
        none.append(first)
        #expect(try RunRecord.read(none) == RunRecord.ordered(records), "seed \(seed)")
    }

    // MARK: Merging

    @Test(
        "Runs merge into one order, however many there are",
        arguments: [
            1, 2, 7, RunFile.maximumCount, RunFile.maximumCount + 1, 3 * RunFile.maximumCount,
        ])
    func merge(count: Int) throws {
        let seed = UInt64(count) + 100
        let records = RunRecord.random(500, seed: seed)
        let parts = dealt(records, over: count, seed: seed)
        let runs = try RunRecord.runs(parts, in: directory.path)
        let joined = try RunFile.joined(runs, directory: directory.path)
        #expect(joined.count <= RunFile.maximumCount)
        #expect(try RunRecord.read(joined) == RunRecord.ordered(records), "seed \(seed)")
        // Reading a run does not consume it.
        #expect(try RunRecord.read(joined) == RunRecord.ordered(records), "seed \(seed)")
    }

    @Test("Up to the maximum count runs stay separate; with one more, the first are joined")
    func joinBound() throws {
        let records = RunRecord.random(RunFile.maximumCount + 1, seed: 9)
        let runs = try RunRecord.runs(records.map { [$0] }, in: directory.path)
        let most = try RunFile.joined(
            Array(runs.prefix(RunFile.maximumCount)), directory: directory.path)
        #expect(zip(most, runs).allSatisfy { $0.file === $1.file })
        #expect(most.count == RunFile.maximumCount)
        #expect(try RunFile.joined(runs, directory: directory.path).count == 2)
    }

    @Test("A merge of more runs than are read at once can be ended")
    func ended() throws {
        let part = (0..<RunFile.reportRecordCount / RunFile.maximumCount).map {
            RunRecord(key: [UInt8($0)], value: [])
        }
        let runs = try RunRecord.runs(
            Array(repeating: part, count: RunFile.maximumCount + 1), in: directory.path)
        let end = StoreError(.closed, reason: "", remedy: "")
        #expect(throws: end) {
            try RunFile.joined(runs, directory: directory.path) { () throws(StoreError) in
                throw end
            }
        }
        // Runs that are read at once are not merged here.
        let few = Array(runs.prefix(RunFile.maximumCount))
        let joined = try RunFile.joined(few, directory: directory.path) { () throws(StoreError) in
            throw end
        }
        #expect(joined.count == few.count)
    }

    @Test("A key in several runs is returned once per run")
    func repeatedKey() throws {
        let record = RunRecord(key: [1, 2], value: [3])
        let runs = try RunRecord.runs([[record, record], [record], []], in: directory.path)
        #expect(try RunRecord.read(runs) == [record, record, record])
    }

    @Test(
        "A record may be as long as the read buffer, and longer",
        arguments: [
            RunFile.bufferByteCount - 9, RunFile.bufferByteCount - 8, RunFile.bufferByteCount - 7,
            RunFile.bufferByteCount, RunFile.bufferByteCount + 1, 3 * RunFile.bufferByteCount,
        ])
    func longRecord(length: Int) throws {
        // Eight bytes of a record hold its length.
        let long = RunRecord(key: [2], value: [UInt8](repeating: 0xA5, count: length - 1))
        let (before, after) = (RunRecord(key: [1], value: []), RunRecord(key: [3], value: [4]))
        let records = [after, long, before]
        let runs = try RunRecord.runs(
            [records, [RunRecord(key: [2, 0], value: [5])]], in: directory.path)
        #expect(
            try RunRecord.read(runs)
                == [before, long, RunRecord(key: [2, 0], value: [5]), after])
    }
}
