/// Records collected in memory up to the size of one run, then sorted by key.
///
/// One flat buffer and an index of 32 bytes per record, so that memory is bounded by size alone.
struct RunBuffer: Sendable {
    /// A buffer of this size becomes a run on disk: 8 MiB. (Tried with a log of two million events:
    /// 32 MiB takes over half as much memory again and is at most a twentieth faster; with 4 MiB
    /// there are so many runs that some are merged twice.)
    static let fullByteCount = 8 * 1_024 * 1_024

    private var bytes: [UInt8] = []
    private var entries: [Entry] = []

    private struct Entry: Sendable {
        /// The first sixteen bytes of the key, big-endian: the digits of an id. They alone decide
        /// most comparisons.
        let prefix: (UInt64, UInt64)
        let offset: Int32
        let keyCount: Int32
        let valueCount: Int32
    }

    var isEmpty: Bool { entries.isEmpty }
    /// Bytes held, including the index.
    var byteCount: Int { bytes.count + entries.count * MemoryLayout<Entry>.stride }

    /// Adds a record. Keys compare bytewise.
    mutating func append(key: [UInt8], value: [UInt8]) {
        entries.append(
            Entry(
                prefix: (RunBuffer.word(key, at: 0), RunBuffer.word(key, at: 8)),
                offset: Int32(bytes.count), keyCount: Int32(key.count),
                valueCount: Int32(value.count)))
        bytes.append(contentsOf: key)
        bytes.append(contentsOf: value)
    }

    /// Eight bytes of a key, padded with zeros.
    private static func word(_ key: [UInt8], at start: Int) -> UInt64 {
        if key.count >= start + 8 {
            return key.withUnsafeBytes {
                UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            }
        }
        var word: UInt64 = 0
        for index in start..<start + 8 {
            word = word << 8 | (index < key.count ? UInt64(key[index]) : 0)
        }
        return word
    }

    /// Adds the records of another buffer.
    mutating func append(_ other: RunBuffer) {
        let shift = Int32(bytes.count)
        bytes.append(contentsOf: other.bytes)
        for entry in other.entries {
            entries.append(
                Entry(
                    prefix: entry.prefix, offset: entry.offset + shift, keyCount: entry.keyCount,
                    valueCount: entry.valueCount))
        }
    }

    /// Passes the records to the callback in key order.
    mutating func inOrder<Failure: Error>(
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer)
            throws(Failure) -> Void
    ) throws(Failure) {
        sort()
        try bytes.withBytes { (all) throws(Failure) in
            for entry in entries {
                let start = Int(entry.offset)
                let middle = start + Int(entry.keyCount)
                try body(
                    UnsafeRawBufferPointer(rebasing: all[start..<middle]),
                    UnsafeRawBufferPointer(rebasing: all[middle..<middle + Int(entry.valueCount)]))
            }
        }
    }

    private mutating func sort() {
        bytes.withUnsafeBytes { all in
            entries.sort { left, right in
                if left.prefix != right.prefix { return left.prefix < right.prefix }
                return RunOrder.compare(
                    UnsafeRawBufferPointer(
                        rebasing: all[Int(left.offset)..<Int(left.offset + left.keyCount)]),
                    UnsafeRawBufferPointer(
                        rebasing: all[Int(right.offset)..<Int(right.offset + right.keyCount)])) < 0
            }
        }
    }
}
