internal import AppStore
public import Ledger
internal import Signing
internal import Synchronization

/// Cached numbers of classes: the first eight bytes of the SHA-256 of a class's stored form. A
/// class has the same number in every file, independent of the order of events.
public final class ClassNumbers: Sendable {
    /// By stored form: classes whose texts are canonically equivalent are distinct.
    private let known = Mutex<[[UInt8]: Int64]>([:])
    private let limit: Int

    /// Classes cached; when the cache is full it is emptied.
    static let rememberedCount = 50_000

    /// Creates an empty cache.
    public convenience init() { self.init(limit: ClassNumbers.rememberedCount) }

    init(limit: Int) { self.limit = limit }

    /// The number of cached classes.
    var count: Int { known.withLock { $0.count } }

    func number(of counted: CountedClass) -> Int64 {
        let bytes = ClassCodec.encode(counted)
        return known.withLock { known in
            if let number = known[bytes] { return number }
            if known.count >= limit { known.removeAll() }
            let number = ClassCodec.number(bytes)
            known[bytes] = number
            return number
        }
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
        return writer.bytes
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
