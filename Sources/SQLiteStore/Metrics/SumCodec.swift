internal import AppStore

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

    struct Entry {
        let movement: SummedMovement
        let chains: Int64
    }

    /// The next sum.
    @inline(__always)
    static func next(_ reader: inout FactReader) throws(FactReader.Damage) -> Entry {
        let head = try reader.byte()
        let movement = SummedMovement(
            before: head & before == 0 ? ClassCodec.none : try reader.word(),
            after: head & after == 0 ? ClassCodec.none : try reader.word(),
            label: Int64(head & label))
        return Entry(movement: movement, chains: try reader.signed())
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
            let entry = try next(&reader)
            body(entry.movement, entry.chains)
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
    /// zero. Unchanged ranges are copied without decoding.
    ///
    /// Throws `FactReader.Damage` for bytes that no writer produced.
    static func body(
        _ stored: [UInt8] = [], changed changes: [SummedMovement: Int64]
    ) throws(FactReader.Damage) -> [UInt8] {
        let order = changes.sorted { SummedMovement.precedes($0.key, $1.key) }
        let result = stored.withUnsafeBytes { bytes in
            Result { () throws(FactReader.Damage) in try merged(bytes, order) }
        }
        return try result.get()
    }

    private static func merged(
        _ stored: UnsafeRawBufferPointer, _ changes: [(key: SummedMovement, value: Int64)]
    ) throws(FactReader.Damage) -> [UInt8] {
        var (reader, writer) = (FactReader(stored), FactWriter())
        // The bytes from `start` up to the reader's position are copied unchanged.
        var (next, start) = (0, 0)
        while !reader.isAtEnd {
            let begin = reader.position
            let entry = try SumCodec.next(&reader)
            guard next < changes.count, !SummedMovement.precedes(entry.movement, changes[next].key)
            else { continue }
            writer.append(UnsafeRawBufferPointer(rebasing: stored[start..<begin]))
            start = begin
            while next < changes.count,
                SummedMovement.precedes(changes[next].key, entry.movement)
            {
                append(changes[next].key, changes[next].value, to: &writer)
                next += 1
            }
            guard next < changes.count, changes[next].key == entry.movement else { continue }
            let (chains, isBeyond) = entry.chains.addingReportingOverflow(changes[next].value)
            // No ledger has so many chains.
            guard !isBeyond else { throw FactReader.Damage() }
            append(entry.movement, chains, to: &writer)
            next += 1
            start = reader.position
        }
        writer.append(UnsafeRawBufferPointer(rebasing: stored[start...]))
        for change in changes[next...] { append(change.key, change.value, to: &writer) }
        return writer.bytes
    }

    /// A count of zero is not stored.
    private static func append(
        _ movement: SummedMovement, _ chains: Int64, to writer: inout FactWriter
    ) {
        if chains != 0 { SumCodec.append(movement, chains: chains, to: &writer) }
    }
}
