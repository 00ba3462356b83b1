internal import AppStore
public import Ledger
internal import Signing
internal import Synchronization

/// Cached numbers of classes: the first eight bytes of the SHA-256 of a class's stored form. A
/// class has the same number in every file, independent of the order of events.
public final class ClassNumbers: Sendable {
    private let known: Mutex<KnownNumbers>

    /// Classes cached; when the cache is full it is emptied.
    static let rememberedCount = 50_000

    /// Creates an empty cache.
    public convenience init() { self.init(limit: ClassNumbers.rememberedCount) }

    init(limit: Int) { known = Mutex(KnownNumbers(limit: limit)) }

    /// The number of cached classes.
    var count: Int { known.withLock { $0.count } }

    func number(of counted: CountedClass) -> Int64 { known.withLock { $0.number(of: counted) } }
}

/// Class numbers by stored form. Every change of every chain looks one up: a known class costs no
/// allocation.
private struct KnownNumbers {
    private let limit: Int
    private var writer = FactWriter()
    /// The cached stored forms, concatenated.
    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    /// Hash table of indexes into `entries` plus 1, 0 when empty; its size is a power of two.
    private var slots: [Int32]

    private struct Entry {
        let start: Int
        let count: Int
        let number: Int64
    }

    private static let firstSlotCount = 64

    init(limit: Int) {
        self.limit = limit
        slots = Array(repeating: 0, count: KnownNumbers.firstSlotCount)
    }

    var count: Int { entries.count }

    mutating func number(of counted: CountedClass) -> Int64 {
        writer.removeAll()
        ClassCodec.write(counted, to: &writer)
        var slot = firstSlot(writer.bytes, 0, writer.bytes.count)
        while slots[slot] != 0 {
            let entry = entries[Int(slots[slot]) - 1]
            if isSame(entry) { return entry.number }
            slot = (slot + 1) & (slots.count - 1)
        }
        if entries.count >= limit { self = KnownNumbers(limit: limit, writer) }
        return remember(ClassCodec.number(writer.bytes))
    }

    /// Creates an empty cache that keeps the writer, which holds the class being looked up.
    private init(limit: Int, _ writer: FactWriter) {
        self.init(limit: limit)
        self.writer = writer
    }

    private mutating func remember(_ number: Int64) -> Int64 {
        entries.append(Entry(start: bytes.count, count: writer.bytes.count, number: number))
        bytes += writer.bytes
        let isFull = entries.count * 2 > slots.count
        if isFull { slots = Array(repeating: 0, count: slots.count * 4) }
        for place in isFull ? 0..<entries.count : entries.count - 1..<entries.count {
            var slot = firstSlot(bytes, entries[place].start, entries[place].count)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = Int32(place + 1)
        }
        return number
    }

    private func isSame(_ entry: Entry) -> Bool {
        guard entry.count == writer.bytes.count else { return false }
        return bytes.withUnsafeBytes { all in
            writer.bytes.withUnsafeBytes { asked in
                let known = UnsafeRawBufferPointer(
                    rebasing: all[entry.start..<entry.start + entry.count])
                return RunOrder.compare(known, asked) == 0
            }
        }
    }

    private func firstSlot(_ bytes: [UInt8], _ start: Int, _ count: Int) -> Int {
        var hash = UInt64(truncatingIfNeeded: count)
        func mix(_ word: UInt64) {
            hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 32
        }
        bytes.withUnsafeBytes { all in
            var offset = start
            while offset + 8 <= start + count {
                mix(all.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                offset += 8
            }
            for byte in all[offset..<start + count] { mix(UInt64(byte)) }
        }
        return Int(truncatingIfNeeded: hash) & (slots.count - 1)
    }
}

/// The stored form of a class.
enum ClassCodec {
    /// Represents "not entitled": no class has this number.
    static let none: Int64 = 0

    static func number(of counted: CountedClass) -> Int64 { number(encode(counted)) }

    /// Two classes share a number once in 2⁶⁴ pairs, far beyond the size of any ledger.
    static func number(_ bytes: [UInt8]) -> Int64 {
        let number = Int64(bitPattern: SHA256.hash(bytes).words.0)
        return number == none ? 1 : number
    }

    /// Every attribute by which metrics distinguish classes, in a bytewise comparable form.
    static func encode(_ counted: CountedClass) -> [UInt8] {
        var writer = FactWriter()
        write(counted, to: &writer)
        return writer.bytes
    }

    static func write(_ counted: CountedClass, to writer: inout FactWriter) {
        let values = counted.values
        writer.text(values.app.rawValue)
        writer.optionalText(values.product?.rawValue)
        writer.optionalText(values.group)
        writer.optionalText(values.storefront)
        writer.optionalText(values.currency)
        writer.optionalSigned(values.offer?.type?.rawValue)
        writer.optionalText(values.offer?.identifier)
        writer.optionalText(values.offer?.discountType?.rawValue)
        writer.text(values.phase.rawValue)
        writer.text(values.ownership.rawValue)
        writer.optionalSigned(counted.annualised)
        writer.unsigned(counted.isInferred ? 1 : 0)
    }

    static func decode(_ bytes: UnsafeRawBufferPointer) throws(FactReader.Damage) -> CountedClass {
        var reader = FactReader(bytes)
        let app = BundleId(try reader.text())
        let product = try reader.optionalText().map { ProductId($0) }
        let (group, storefront) = (try reader.optionalText(), try reader.optionalText())
        let currency = try reader.optionalText()
        let type = try reader.optionalSigned()
        let offer = offer(
            type: type, identifier: try reader.optionalText(),
            discountType: try reader.optionalText())
        guard let phase = ChainAnswer.Phase(rawValue: try reader.text()) else {
            throw FactReader.Damage()
        }
        let values = DimensionValues(
            app: app, product: product, group: group, storefront: storefront, currency: currency,
            offer: offer, phase: phase, ownership: ownership(try reader.text()))
        let annualised = try reader.optionalSigned()
        let isInferred = try reader.unsigned() == 1
        guard reader.isAtEnd else { throw FactReader.Damage() }
        return CountedClass(values: values, annualised: annualised, isInferred: isInferred)
    }

    static func offer(type: Int64?, identifier: String?, discountType: String?) -> Offer? {
        guard type != nil || identifier != nil || discountType != nil else { return nil }
        return Offer(
            type: type.map { Raw(rawValue: $0) }, identifier: identifier,
            discountType: discountType.map { Raw(rawValue: $0) })
    }

    static func ownership(_ text: String) -> ChainAnswer.Ownership {
        let known: [ChainAnswer.Ownership] = [.purchased, .familyShared, .assigned]
        return known.first { $0.rawValue == text } ?? .other(text)
    }
}

extension MovementLabel {
    /// The stored code: 0 a change, 1… the gains, 16… the reasons, in the order of the contract.
    public var code: Int64 {
        switch self {
        case .change: 0
        case .entry(let gain): 1 + Int64(Gain.allCases.firstIndex(of: gain) ?? 0)
        case .end(let reason): 16 + Int64(EndReason.allCases.firstIndex(of: reason) ?? 0)
        }
    }

    private static let byCode: [Int64: MovementLabel] = Dictionary(
        uniqueKeysWithValues: MovementLabel.all.map { ($0.code, $0) })

    /// Nil for an unknown code.
    public init?(code: Int64) {
        guard let label = MovementLabel.byCode[code] else { return nil }
        self = label
    }
}
