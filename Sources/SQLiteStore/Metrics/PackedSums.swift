public import AppStore
public import LedgerStore

/// The number of chains per movement on a day, in a month, or at one moment, in stored form, to be
/// added up outside the transaction.
public struct PackedSums: Sendable, Equatable {
    private var writer = FactWriter()
    private var ends: [Int] = []
    private var times: [Int64] = []

    public init() {}

    /// - Parameter byteCount: capacity to reserve, so that growing never copies.
    init(reserving byteCount: Int) { writer = FactWriter(reserving: byteCount) }

    public var isEmpty: Bool { times.isEmpty }

    /// Bytes held.
    public var byteCount: Int {
        writer.bytes.count + times.count * 2 * MemoryLayout<Int64>.size
    }

    /// Adds the sums of one time.
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

    /// Bytes from which several cores are faster than one.
    private static let dividedByteCount = 256 * 1_024

    /// Parts of about equal size, at most `count`, for parallel use.
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

    /// Passes the sums to `body`, grouped by time: `begin` receives the time of the sums that
    /// follow, the start of a day or month.
    ///
    /// - Parameter part: one of `parts`; nil for all.
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
}
