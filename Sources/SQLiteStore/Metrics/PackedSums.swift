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
    /// - `part`: one of `parts`; nil for all.
    ///
    /// Throws `fileCorrupt` for sums that cannot be read.
    @inline(__always)
    public func forEach(
        in part: Range<Int>? = nil, beginning begin: (Timestamp) -> Void,
        adding body: (_ movement: SummedMovement, _ chains: Int64) -> Void
    ) throws(StoreError) {
        do throws(FactReader.Damage) {
            try writer.bytes.withBytes { (all) throws(FactReader.Damage) in
                for place in part ?? times.indices {
                    begin(Timestamp(milliseconds: times[place]))
                    let start = place == 0 ? 0 : ends[place - 1]
                    try SumCodec.forEach(
                        UnsafeRawBufferPointer(rebasing: all[start..<ends[place]]), body)
                }
            }
        } catch {
            throw StoreError(
                .fileCorrupt, reason: "Stored sums of movements cannot be read.",
                remedy: "Run `subledger rebuild`.")
        }
    }
}

/// Concatenated sums: a report reads a million of them, where separate rows would cost ten times as
/// much.
///
///     sum  = byte: label, + 64 if there is a class before, + 128 if there is one after;
///            the classes, 8 bytes each; zigzag, variable length: chains
enum SumCodec {
    private static let before: UInt8 = 64
    private static let after: UInt8 = 128
    private static let label: UInt8 = 63

    static func append(_ movement: SummedMovement, chains: Int64, to writer: inout FactWriter) {
        let (hasBefore, hasAfter) = (
            movement.before != ClassCodec.none, movement.after != ClassCodec.none
        )
        writer.byte(
            UInt8(truncatingIfNeeded: movement.label) & label
                | (hasBefore ? before : 0) | (hasAfter ? after : 0))
        if hasBefore { writer.word(movement.before) }
        if hasAfter { writer.word(movement.after) }
        writer.signed(chains)
    }

    /// Passes the sums to `body` in order.
    ///
    /// Throws `FactReader.Damage` for bytes that no writer produced.
    @inline(__always)
    static func forEach(
        _ bytes: UnsafeRawBufferPointer, _ body: (SummedMovement, Int64) -> Void
    ) throws(FactReader.Damage) {
        var reader = FactReader(bytes)
        while !reader.isAtEnd {
            let head = try reader.byte()
            let movement = SummedMovement(
                before: head & before == 0 ? ClassCodec.none : try reader.word(),
                after: head & after == 0 ? ClassCodec.none : try reader.word(),
                label: Int64(head & label))
            body(movement, try reader.signed())
        }
    }
}

/// A change of class: classes by number (0: not entitled), the label by code.
public struct SummedMovement: Hashable, Sendable {
    public var before: Int64
    public var after: Int64
    public var label: Int64

    init(before: Int64, after: Int64, label: Int64) {
        self.before = before
        self.after = after
        self.label = label
    }

    public init(_ stored: StoredMovement) {
        self.init(before: stored.before, after: stored.after, label: stored.label)
    }

    /// Class numbers are digests, so simple mixing suffices.
    public func hash(into hasher: inout Hasher) { hasher.combine(before &* 31 &+ after &+ label) }

    static func precedes(_ left: SummedMovement, _ right: SummedMovement) -> Bool {
        (left.before, left.after, left.label) < (right.before, right.after, right.label)
    }
}

/// The sums of a month are divided into parts, each a row: an event touches only a few of them.
struct MonthPart: Hashable, Comparable {
    /// The start of the month.
    let from: Int64
    let number: Int64

    /// Parts per month; class numbers distribute evenly over them.
    static let count: Int64 = 128

    init(from: Int64, of movement: SummedMovement) {
        self.from = from
        number = MonthPart.number(of: movement)
    }

    static func number(of movement: SummedMovement) -> Int64 {
        (movement.before ^ movement.after) & (count - 1)
    }

    static func < (left: MonthPart, right: MonthPart) -> Bool {
        (left.from, left.number) < (right.from, right.number)
    }

    /// The stored form of a part's sums, in order, after applying changes; empty when all sums are
    /// zero.
    ///
    /// Throws `FactReader.Damage` for bytes that no writer produced.
    static func body(
        _ stored: [UInt8] = [], changed changes: [SummedMovement: Int64]
    ) throws(FactReader.Damage) -> [UInt8] {
        let order = changes.sorted { SummedMovement.precedes($0.key, $1.key) }
        var (writer, next, isBeyond) = (FactWriter(), 0, false)
        // A count of zero is not stored.
        func append(_ movement: SummedMovement, _ chains: Int64) {
            if chains != 0 { SumCodec.append(movement, chains: chains, to: &writer) }
        }
        try stored.withBytes { (bytes) throws(FactReader.Damage) in
            try SumCodec.forEach(bytes) { movement, chains in
                while next < order.count, SummedMovement.precedes(order[next].key, movement) {
                    append(order[next].key, order[next].value)
                    next += 1
                }
                guard next < order.count, order[next].key == movement else {
                    return append(movement, chains)
                }
                let (sum, isOver) = chains.addingReportingOverflow(order[next].value)
                isBeyond = isBeyond || isOver
                append(movement, sum)
                next += 1
            }
        }
        // No ledger has so many chains.
        guard !isBeyond else { throw FactReader.Damage() }
        for change in order[next...] { append(change.key, change.value) }
        return writer.bytes
    }
}
