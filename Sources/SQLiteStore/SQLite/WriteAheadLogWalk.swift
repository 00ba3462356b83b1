/// Frame after frame of a write-ahead log, until one is found that does not verify and must.
struct WriteAheadLogWalk {
    private let header: WriteAheadLogHeader
    private var frameCount = 0
    /// What the frame before states, and what it should: where these differ, the next one tells which
    /// of them was written.
    private var stored: WriteAheadLogSum
    private var computed: WriteAheadLogSum
    /// The first frame that does not verify.
    private var firstOther: Int?
    /// Whether the frame before is that one or behind it, and ends a transaction.
    private var endedTransaction = false
    /// Frames count from 1.
    private(set) var damagedFrame: Int?

    /// - Parameter header: one that verifies.
    init(_ header: WriteAheadLogHeader) {
        self.header = header
        (stored, computed) = (header.stored, header.stored)
    }

    /// Takes the next frame whole: number of its page, size of the file in pages where it ends a
    /// transaction, two salts, two sums, the page.
    mutating func add(_ frame: UnsafeRawBufferPointer) {
        func word(_ offset: Int) -> UInt32 {
            UInt32(bigEndian: frame.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
        let hasSalts = UInt64(word(8)) << 32 | UInt64(word(12)) == header.salts
        let stated = WriteAheadLogSum(statedBy: frame)
        let sum = stored.going(over: frame, isBigEndian: header.isBigEndian)
        let goesOn = sum == stated
        frameCount += 1
        if goesOn, hasSalts, endedTransaction { damagedFrame = firstOther }
        if !goesOn, hasSalts, computed != stored,
            computed.going(over: frame, isBigEndian: header.isBigEndian) == stated
        {
            // This one was written behind the one before as it should be, not as it is.
            damagedFrame = firstOther
        }
        if firstOther == nil, !(goesOn && hasSalts) { firstOther = frameCount }
        endedTransaction = firstOther != nil && word(4) != 0 && (goesOn || hasSalts)
        (stored, computed) = (stated, sum)
    }
}
