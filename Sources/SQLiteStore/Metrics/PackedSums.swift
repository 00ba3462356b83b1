public import AppStore
public import LedgerStore

/// How many chains made which movement on a day, in a month, or at one moment: as it is stored, to be
/// added up elsewhere.
public struct PackedSums: Sendable, Equatable {
    private var writer = FactWriter()
    private var ends: [Int] = []
    private var times: [Int64] = []

    public init() {}

    /// - Parameter byteCount: room for so many bytes of sums, so that none is copied as they grow.
    init(reserving byteCount: Int) { writer = FactWriter(reserving: byteCount) }

    public var isEmpty: Bool { times.isEmpty }

    /// Bytes held.
    public var byteCount: Int {
        writer.bytes.count + times.count * 2 * MemoryLayout<Int64>.size
    }

    /// Adds sums of one time.
    mutating func append(_ sums: UnsafeRawBufferPointer, at time: Int64) {
        writer.append(sums)
        end(at: time)
    }

    mutating func append(_ movement: SummedMovement, chains: Int64, at time: Int64) {
        SumCodec.append(movement, chains: chains, to: &writer)
        end(at: time)
    }

    private mutating func end(at time: Int64) {
        if times.last == time {
            ends[ends.count - 1] = writer.bytes.count
        } else {
            times.append(time)
            ends.append(writer.bytes.count)
        }
    }

    /// Bytes from which on several cores are quicker than one.
    private static let dividedByteCount = 256 * 1_024

    /// Parts of about the same size, at most `count`, that may be handed out apart.
    public func parts(_ count: Int) -> [Range<Int>] {
        let size = writer.bytes.count / max(count, 1) + 1
        guard size >= PackedSums.dividedByteCount else { return [times.indices] }
        var parts: [Range<Int>] = []
        var start = 0
        for place in times.indices where ends[place] >= (parts.count + 1) * size {
            parts.append(start..<place + 1)
            start = place + 1
        }
        if start < times.count { parts.append(start..<times.count) }
        return parts
    }

    /// Hands out the sums, those of one time together: `begin` is told the time that those that follow
    /// are of, the first moment of a day or month.
    ///
    /// - Parameter part: one of `parts`; nil: all.
    ///
    /// Throws `fileCorrupt` for sums that cannot be read.
    @inline(__always)
    public func forEach(
        in part: Range<Int>? = nil, beginning begin: (Timestamp) -> Void,
        adding body: (_ movement: SummedMovement, _ chains: Int64) -> Void
    ) throws(StoreError) {
        let result = writer.bytes.withUnsafeBytes { all in
            Result { () throws(FactReader.Damage) in
                for place in part ?? times.indices {
                    begin(Timestamp(milliseconds: times[place]))
                    let start = place == 0 ? 0 : ends[place - 1]
                    try SumCodec.forEach(
                        UnsafeRawBufferPointer(rebasing: all[start..<ends[place]]), body)
                }
            }
        }
        do throws(FactReader.Damage) { try result.get() } catch {
            throw StoreError(
                .fileCorrupt, reason: "Stored sums of movements cannot be read.",
                remedy: "Run `subledger rebuild`.")
        }
    }

    public static func == (left: PackedSums, right: PackedSums) -> Bool {
        left.times == right.times && left.ends == right.ends
            && left.writer.bytes == right.writer.bytes
    }
}
