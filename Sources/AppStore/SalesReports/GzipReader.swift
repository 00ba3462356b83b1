/// Decompresses gzip (RFC 1952, RFC 1951) in pieces: holds the last 32 KiB of output, and reads its
/// input as it needs it.
public struct GzipReader {
    /// Returns the next bytes of input; nil at the end.
    public typealias Source = () throws -> [UInt8]?

    /// The least output of a piece before the last.
    static let pieceByteCount = 65_536
    /// How far back a match may reach (RFC 1951, 2).
    static let windowByteCount = 32_768

    private let source: Source
    private var input: [UInt8] = []
    private var place = 0
    private var bits: UInt32 = 0
    private var bitCount: UInt32 = 0
    private var state = State.header
    private var isLastBlock = false
    /// Output not passed on, after at most a window of what was.
    private var output: [UInt8] = []
    private var passedCount = 0
    private var checksum: UInt32 = .max
    private var byteCount: UInt32 = 0

    private enum State {
        /// Before a member; a file may have several.
        case header
        case block
        case stored(Int)
        case codes(HuffmanCode, HuffmanCode)
        case trailer
        case end
    }

    /// Whether bytes are those of gzip.
    public static func isGzip(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }

    public init(_ source: @escaping Source) { self.source = source }

    /// The next decompressed bytes; nil at the end. Throws `SalesReportError.damagedGzip`, and
    /// what the source throws.
    public mutating func next() throws -> [UInt8]? {
        if output.count > GzipReader.windowByteCount {
            output.removeFirst(output.count - GzipReader.windowByteCount)
        }
        passedCount = output.count
        while output.count - passedCount < GzipReader.pieceByteCount {
            if case .end = state { break }
            try advance()
        }
        let piece = Array(output[passedCount...])
        return piece.isEmpty ? nil : piece
    }

    private mutating func advance() throws {
        switch state {
        case .header: try readHeader()
        case .block: try readBlock()
        case .stored(let count):
            guard count > 0 else { return endBlock() }
            put(UInt8(truncatingIfNeeded: try take(8)))
            state = .stored(count - 1)
        case .codes(let lengths, let distances): try readSymbol(lengths, distances)
        case .trailer: try readTrailer()
        case .end: break
        }
    }

    // MARK: Input

    private mutating func byte() throws -> UInt8? {
        while place == input.count {
            guard let more = try source() else { return nil }
            (input, place) = (more, 0)
        }
        place += 1
        return input[place - 1]
    }

    private mutating func needByte() throws -> UInt8 {
        guard let byte = try self.byte() else { throw SalesReportError.damagedGzip }
        return byte
    }

    /// The next bits, the first one lowest; at most 16.
    private mutating func take(_ count: UInt32) throws -> UInt32 {
        while bitCount < count {
            bits |= UInt32(try needByte()) << bitCount
            bitCount += 8
        }
        let value = bits & ((1 << count) - 1)
        bits >>= count
        bitCount -= count
        return value
    }

    private mutating func symbol(_ code: HuffmanCode) throws -> Int {
        var (value, first, index) = (0, 0, 0)
        for length in 1...HuffmanCode.longest {
            value |= Int(try take(1))
            let count = code.counts[length]
            if value - first < count { return code.symbols[index + value - first] }
            index += count
            first = (first + count) << 1
            value <<= 1
        }
        throw SalesReportError.damagedGzip
    }

    // MARK: Members

    private mutating func readHeader() throws {
        guard let first = try byte() else {
            state = .end
            return
        }
        guard first == 0x1F, try needByte() == 0x8B, try needByte() == 8 else {
            throw SalesReportError.damagedGzip
        }
        let flags = try needByte()
        guard flags & 0xE0 == 0 else { throw SalesReportError.damagedGzip }
        for _ in 0..<6 { _ = try needByte() }
        if flags & 4 != 0 {
            let low = Int(try needByte())
            let count = low + Int(try needByte()) << 8
            for _ in 0..<count { _ = try needByte() }
        }
        // Name and comment end with 0.
        for flag: UInt8 in [8, 16] where flags & flag != 0 { while try needByte() != 0 {} }
        if flags & 2 != 0 { for _ in 0..<2 { _ = try needByte() } }
        (checksum, byteCount) = (.max, 0)
        state = .block
    }

    private mutating func readTrailer() throws {
        (bits, bitCount) = (0, 0)
        let sum = try take(16) | (try take(16)) << 16
        let count = try take(16) | (try take(16)) << 16
        guard sum == ~checksum, count == byteCount else { throw SalesReportError.damagedGzip }
        state = .header
    }

    // MARK: Blocks

    private mutating func endBlock() { state = isLastBlock ? .trailer : .block }

    private mutating func readBlock() throws {
        isLastBlock = try take(1) == 1
        switch try take(2) {
        case 0:
            (bits, bitCount) = (0, 0)
            let count = try take(16)
            guard try take(16) == count ^ 0xFFFF else { throw SalesReportError.damagedGzip }
            state = .stored(Int(count))
        case 1: state = .codes(HuffmanCode.fixedLengths, HuffmanCode.fixedDistances)
        case 2: try readCodes()
        default: throw SalesReportError.damagedGzip
        }
    }

    private mutating func readCodes() throws {
        let lengthCount = Int(try take(5)) + 257
        let distanceCount = Int(try take(5)) + 1
        let codeCount = Int(try take(4)) + 4
        guard lengthCount <= 286, distanceCount <= 30 else { throw SalesReportError.damagedGzip }
        var sizes = [Int](repeating: 0, count: 19)
        for place in HuffmanCode.order.prefix(codeCount) { sizes[place] = Int(try take(3)) }
        guard let code = HuffmanCode(sizes[...]) else { throw SalesReportError.damagedGzip }
        var lengths: [Int] = []
        while lengths.count < lengthCount + distanceCount {
            let size = try symbol(code)
            switch size {
            case 16:
                guard let last = lengths.last else { throw SalesReportError.damagedGzip }
                lengths += [Int](repeating: last, count: 3 + Int(try take(2)))
            case 17: lengths += [Int](repeating: 0, count: 3 + Int(try take(3)))
            case 18: lengths += [Int](repeating: 0, count: 11 + Int(try take(7)))
            default: lengths.append(size)
            }
        }
        // Without code 256 the block would have no end.
        guard lengths.count == lengthCount + distanceCount, lengths[256] != 0,
            let literals = HuffmanCode(lengths[..<lengthCount]),
            let distances = HuffmanCode(lengths[lengthCount...])
        else { throw SalesReportError.damagedGzip }
        state = .codes(literals, distances)
    }

    private mutating func readSymbol(_ lengths: HuffmanCode, _ distances: HuffmanCode) throws {
        let literal = try symbol(lengths)
        if literal < 256 { return put(UInt8(literal)) }
        if literal == 256 { return endBlock() }
        let size = literal - 257
        guard size < HuffmanCode.lengthBases.count else { throw SalesReportError.damagedGzip }
        let length = HuffmanCode.lengthBases[size] + Int(try take(HuffmanCode.lengthBits[size]))
        let far = try symbol(distances)
        guard far < HuffmanCode.distanceBases.count else { throw SalesReportError.damagedGzip }
        let distance =
            HuffmanCode.distanceBases[far] + Int(try take(HuffmanCode.distanceBits[far]))
        guard distance <= output.count else { throw SalesReportError.damagedGzip }
        for _ in 0..<length { put(output[output.count - distance]) }
    }

    private mutating func put(_ byte: UInt8) {
        output.append(byte)
        byteCount &+= 1
        checksum =
            GzipReader.remainders[Int((checksum ^ UInt32(byte)) & 0xFF)] ^ (checksum >> 8)
    }

    /// CRC-32 of each byte (RFC 1952, 8).
    private static let remainders: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { sum, _ in
            sum & 1 == 1 ? 0xEDB8_8320 ^ (sum >> 1) : sum >> 1
        }
    }
}

/// A canonical Huffman code (RFC 1951, 3.2.2).
struct HuffmanCode {
    /// Bits of the longest code.
    static let longest = 15
    /// Symbols of each length of code.
    let counts: [Int]
    /// By length, then value.
    let symbols: [Int]

    /// Nil where the lengths promise more codes than there are. A code may be incomplete.
    init?(_ lengths: ArraySlice<Int>) {
        var counts = [Int](repeating: 0, count: HuffmanCode.longest + 1)
        for length in lengths { counts[length] += 1 }
        var left = 1
        for length in 1...HuffmanCode.longest {
            left = 2 * left - counts[length]
            guard left >= 0 else { return nil }
        }
        var offsets = [Int](repeating: 0, count: HuffmanCode.longest + 2)
        for length in 1...HuffmanCode.longest {
            offsets[length + 1] = offsets[length] + counts[length]
        }
        var symbols = [Int](repeating: 0, count: lengths.count)
        for (symbol, length) in lengths.enumerated() where length > 0 {
            symbols[offsets[length]] = symbol
            offsets[length] += 1
        }
        // Length 0 is no code.
        counts[0] = 0
        (self.counts, self.symbols) = (counts, symbols)
    }

    private init(counts: [Int], symbols: [Int]) {
        (self.counts, self.symbols) = (counts, symbols)
    }

    private static let empty = HuffmanCode(
        counts: [Int](repeating: 0, count: longest + 1), symbols: [])
    static let fixedLengths =
        HuffmanCode(
            ([Int](repeating: 8, count: 144) + [Int](repeating: 9, count: 112)
                + [Int](repeating: 7, count: 24) + [Int](repeating: 8, count: 8))[...]) ?? empty
    static let fixedDistances = HuffmanCode([Int](repeating: 5, count: 30)[...]) ?? empty

    /// The order of the lengths of the code of lengths.
    static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115,
        131, 163, 195, 227, 258,
    ]
    static let lengthBits: [UInt32] = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537,
        2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577,
    ]
    static let distanceBits: [UInt32] = [
        0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12,
        13, 13,
    ]
}
