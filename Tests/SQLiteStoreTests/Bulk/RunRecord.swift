import Simulator

@testable import LedgerStore
@testable import SQLiteStore

/// A record of sorted runs, as plain arrays.
struct RunRecord: Hashable, Sendable {
    let key: [UInt8]
    let value: [UInt8]

    /// Records with distinct keys that are hard to distinguish: empty, prefixes of one another,
    /// equal in their first eight bytes, full of NUL and 0xFF.
    static func random(_ count: Int, seed: UInt64) -> [RunRecord] {
        var chance = SeededGenerator(seed: seed)
        let stem = [UInt8](repeating: 7, count: 8)
        var keys: Set<[UInt8]> = [[]]
        while keys.count < count {
            let length = Int.random(in: 0...12, using: &chance)
            let tail = (0..<length).map { _ -> UInt8 in
                [0, 0, 1, 0x7F, 0x80, 0xFF, 0xFF].randomElement(using: &chance) ?? 0
            }
            keys.insert(Bool.random(using: &chance) ? stem + tail : tail)
        }
        return keys.sorted { $0.lexicographicallyPrecedes($1) }.shuffled(using: &chance).map {
            RunRecord(
                key: $0,
                value: (0..<Int.random(in: 0...20, using: &chance)).map { _ in
                    UInt8.random(in: 0...255, using: &chance)
                })
        }
    }

    /// The required order: bytewise, a prefix before any longer key.
    static func ordered(_ records: [RunRecord]) -> [RunRecord] {
        records.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }

    static func buffer(_ records: some Sequence<RunRecord>) -> RunBuffer {
        var buffer = RunBuffer()
        for record in records { buffer.append(key: record.key, value: record.value) }
        return buffer
    }

    /// The records of a buffer, in its order.
    static func read(_ buffer: RunBuffer) throws -> [RunRecord] {
        var (buffer, records) = (buffer, [RunRecord]())
        try buffer.inOrder { (key, value) throws(StoreError) in
            records.append(RunRecord(key: Array(key), value: Array(value)))
        }
        return records
    }

    /// The records of a merge of runs.
    static func read(_ files: [RunFile]) throws -> [RunRecord] {
        var (merge, records) = (try RunMerge(files), [RunRecord]())
        while let record = merge.first {
            records.append(RunRecord(key: Array(record.key), value: Array(record.value)))
            try merge.advance()
        }
        return records
    }

    /// One run for each of `parts`.
    static func runs(_ parts: [[RunRecord]], in directory: String) throws -> [RunFile] {
        try parts.map { try RunFile.write(sorted: buffer($0), directory: directory) }
    }
}
