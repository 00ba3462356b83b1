/// The header of a write-ahead log (https://www.sqlite.org/fileformat2.html#walformat).
struct WriteAheadLogHeader {
    static let byteCount = 32
    /// The size of the frame header before each page.
    static let frameByteCount = 24
    private static let magic: UInt32 = 0x377F_0682
    private static let summedByteCount = 24

    private let bytes: [UInt8]

    /// - Parameter bytes: exactly `byteCount` bytes.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private func word(_ offset: Int) -> UInt32 {
        bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The byte order of the words in checksums.
    var isBigEndian: Bool { word(0) & 1 == 1 }
    var pageByteCount: Int { Int(word(8)) }
    /// The salts of every frame written after this header.
    var salts: UInt64 { UInt64(word(16)) << 32 | UInt64(word(20)) }
    /// The stored checksum, from which the first frame's checksum chains.
    var stored: WriteAheadLogSum { WriteAheadLogSum(word(24), word(28)) }

    var isValid: Bool {
        word(0) & ~1 == WriteAheadLogHeader.magic && computed(isBigEndian: isBigEndian) == stored
    }

    private func computed(isBigEndian: Bool) -> WriteAheadLogSum {
        var sum = WriteAheadLogSum(0, 0)
        bytes.withUnsafeBytes { buffer in
            sum.add(
                UnsafeRawBufferPointer(rebasing: buffer[..<WriteAheadLogHeader.summedByteCount]),
                isBigEndian: isBigEndian)
        }
        return sum
    }

    /// Whether a frame chains from this header, whichever part of the header was damaged since.
    func precedes(_ frame: [UInt8]) -> Bool {
        frame.withUnsafeBytes { frame in
            [false, true].contains { isBigEndian in
                let stated = WriteAheadLogSum(statedBy: frame)
                return [stored, computed(isBigEndian: isBigEndian)].contains { start in
                    start.going(over: frame, isBigEndian: isBigEndian) == stated
                }
            }
        }
    }
}

/// The rolling checksum of a write-ahead log.
struct WriteAheadLogSum: Equatable {
    private var first: UInt32
    private var second: UInt32

    init(_ first: UInt32, _ second: UInt32) { (self.first, self.second) = (first, second) }

    /// The checksum stored in a frame.
    init(statedBy frame: UnsafeRawBufferPointer) {
        first = UInt32(bigEndian: frame.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
        second = UInt32(bigEndian: frame.loadUnaligned(fromByteOffset: 20, as: UInt32.self))
    }

    /// The checksum after a whole frame: its first eight bytes and its page.
    func going(over frame: UnsafeRawBufferPointer, isBigEndian: Bool) -> WriteAheadLogSum {
        var sum = self
        sum.add(UnsafeRawBufferPointer(rebasing: frame[..<8]), isBigEndian: isBigEndian)
        sum.add(
            UnsafeRawBufferPointer(rebasing: frame[WriteAheadLogHeader.frameByteCount...]),
            isBigEndian: isBigEndian)
        return sum
    }

    /// Adds a multiple of eight bytes.
    mutating func add(_ bytes: UnsafeRawBufferPointer, isBigEndian: Bool) {
        var (one, two) = (first, second)
        for offset in stride(from: 0, to: bytes.count, by: 8) {
            let left = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            let right = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
            one &+= (isBigEndian ? UInt32(bigEndian: left) : UInt32(littleEndian: left)) &+ two
            two &+= (isBigEndian ? UInt32(bigEndian: right) : UInt32(littleEndian: right)) &+ one
        }
        (first, second) = (one, two)
    }
}
