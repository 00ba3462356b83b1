internal import AppStore
internal import Ledger
internal import Signing
internal import Synchronization

/// What classes are called in stored rows: the first eight bytes of the SHA-256 of what they say.
/// The same class has the same number in every file, so that nothing depends on what came first.
public final class ClassNumbers: Sendable {
    private let known = Mutex<[[UInt8]: Int64]>([:])

    /// Classes remembered; with more all are forgotten, and found again.
    static let rememberedCount = 50_000

    private let limit: Int

    /// Nothing remembered yet.
    public convenience init() { self.init(limit: ClassNumbers.rememberedCount) }

    init(limit: Int) { self.limit = limit }

    /// How many are remembered now.
    var count: Int { known.withLock { $0.count } }

    func number(of counted: CountedClass) -> Int64 {
        let bytes = ClassCodec.encode(counted)
        return known.withLock { known in
            if let number = known[bytes] { return number }
            let number = ClassCodec.number(bytes)
            if known.count >= limit { known.removeAll() }
            known[bytes] = number
            return number
        }
    }
}

/// The stored form of a class.
enum ClassCodec {
    /// Stands for "not entitled": no class has it.
    static let none: Int64 = 0

    static func number(of counted: CountedClass) -> Int64 { number(encode(counted)) }

    /// Two classes share a number once in 2⁶⁴ pairs, which no ledger comes near.
    static func number(_ bytes: [UInt8]) -> Int64 {
        let number = Int64(bitPattern: SHA256.hash(bytes).words.0)
        return number == none ? 1 : number
    }

    /// Everything metrics tell classes apart by, byte for byte.
    static func encode(_ counted: CountedClass) -> [UInt8] {
        let values = counted.values
        var writer = FactWriter()
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
        return writer.bytes
    }

    static func decode(_ bytes: UnsafeRawBufferPointer) throws(FactReader.Damage) -> CountedClass {
        var reader = FactReader(bytes)
        var values = DimensionValues(app: BundleId(try reader.text()))
        values.product = try reader.optionalText().map { ProductId($0) }
        values.group = try reader.optionalText()
        values.storefront = try reader.optionalText()
        values.currency = try reader.optionalText()
        let type = try reader.optionalSigned()
        values.offer = offer(
            type: type, identifier: try reader.optionalText(),
            discountType: try reader.optionalText())
        guard let phase = ChainAnswer.Phase(rawValue: try reader.text()) else {
            throw FactReader.Damage()
        }
        values.phase = phase
        values.ownership = ownership(try reader.text())
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
    /// As it is stored: 0 a change, 1… the gains, 16… the reasons, in the order of the contract.
    var code: Int64 {
        switch self {
        case .change: 0
        case .entry(let gain): 1 + Int64(Gain.allCases.firstIndex(of: gain) ?? 0)
        case .end(let reason): 16 + Int64(EndReason.allCases.firstIndex(of: reason) ?? 0)
        }
    }

    private static let byCode: [Int64: MovementLabel] = Dictionary(
        uniqueKeysWithValues: MovementLabel.all.map { ($0.code, $0) })

    init?(code: Int64) {
        guard let label = MovementLabel.byCode[code] else { return nil }
        self = label
    }
}
