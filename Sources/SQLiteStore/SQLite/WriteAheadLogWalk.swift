/// Verifies a write-ahead log frame by frame, until a corrupt frame is found.
struct WriteAheadLogWalk {
    private let header: WriteAheadLogHeader
    private var frameCount = 0
    /// The stored and the computed checksum of the previous frame: where they differ, the next
    /// frame shows which of them was written.
    private var stored: WriteAheadLogSum
    private var computed: WriteAheadLogSum
    /// The first frame that does not verify.
    private var firstUnverified: Int?
    /// Whether the previous frame is that one or a later one, and ends a transaction.
    private var endedTransaction = false
    /// The number of the first corrupt frame, from 1.
    private(set) var damagedFrame: Int?

    /// - Parameter header: a valid one.
    init(_ header: WriteAheadLogHeader) {
        self.header = header
        (stored, computed) = (header.stored, header.stored)
    }

    /// Adds the next whole frame: page number, size of the file in pages where the frame ends a
    /// transaction, two salts, two checksums, the page.
    mutating func add(_ frame: UnsafeRawBufferPointer) {
        func word(_ offset: Int) -> UInt32 {
            UInt32(bigEndian: frame.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
        let hasSalts = UInt64(word(8)) << 32 | UInt64(word(12)) == header.salts
        let stated = WriteAheadLogSum(statedBy: frame)
        let sum = stored.going(over: frame, isBigEndian: header.isBigEndian)
        let goesOn = sum == stated
        frameCount += 1
        if goesOn, hasSalts, endedTransaction { damagedFrame = firstUnverified }
        if !goesOn, hasSalts, computed != stored,
            computed.going(over: frame, isBigEndian: header.isBigEndian) == stated
        {
            // Chains from the expected checksum, so the previous frame is corrupt.
            damagedFrame = firstUnverified
        }
        if firstUnverified == nil, !(goesOn && hasSalts) { firstUnverified = frameCount }
        endedTransaction = firstUnverified != nil && word(4) != 0 && (goesOn || hasSalts)
        (stored, computed) = (stated, sum)
    }
}
