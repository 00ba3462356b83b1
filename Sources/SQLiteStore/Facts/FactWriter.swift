internal import AppStore
internal import Ledger

/// Encodes the parts of a fact: variable-length integers, length-prefixed text, known enum values
/// by their index in `FactTables`. Decoded by `FactReader`.
struct FactWriter: Equatable {
    private(set) var bytes: [UInt8] = []

    init(reserving byteCount: Int = 320) { bytes.reserveCapacity(byteCount) }

    mutating func unsigned(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func append(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }

    /// Eight bytes, little-endian.
    mutating func word(_ value: Int64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Zigzag: small magnitudes of either sign are short.
    mutating func signed(_ value: Int64) {
        unsigned(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    mutating func text(_ value: String) {
        unsigned(UInt64(value.utf8.count))
        append(value)
    }

    /// An absent value takes one byte.
    mutating func optionalText(_ value: String?) {
        guard let value else { return unsigned(0) }
        unsigned(UInt64(value.utf8.count) + 1)
        append(value)
    }

    private mutating func append(_ text: String) {
        text.lendingUTF8 { bytes.append(contentsOf: UnsafeRawBufferPointer($0)) }
    }

    mutating func optionalSigned(_ value: Int64?) {
        guard let value else { return bytes.append(0) }
        bytes.append(1)
        signed(value)
    }

    /// The count, then each as the difference from the previous one.
    mutating func differences(_ values: [Int64]) {
        unsigned(UInt64(values.count))
        var last: Int64 = 0
        for value in values {
            signed(value &- last)
            last = value
        }
    }

    /// Relative to `base`, since the dates of one fact are close together.
    mutating func date(_ value: Timestamp?, from base: Int64) {
        optionalSigned(value.map { $0.milliseconds &- base })
    }

    /// Ids are usually numeric: decimal digits are stored as a number, anything else as text.
    mutating func id(_ value: String?) {
        guard let value else { return bytes.append(0) }
        if let number = FactWriter.canonicalNumber(value) {
            bytes.append(1)
            unsigned(number)
        } else {
            bytes.append(2)
            text(value)
        }
    }

    mutating func digest(_ digest: Digest) {
        for word in [digest.words.0, digest.words.1, digest.words.2, digest.words.3] {
            withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) }
        }
    }

    mutating func optionalBool(_ value: Bool?) {
        bytes.append(value.map { $0 ? 2 : 1 } ?? 0)
    }

    mutating func raw<Value: Equatable>(_ raw: Raw<Value>?, _ table: [Value])
    where Value.RawValue == String {
        guard let raw else { return unsigned(0) }
        if let value = raw.value, let place = table.firstIndex(of: value) {
            unsigned(UInt64(place) + 2)
        } else {
            unsigned(1)
            text(raw.rawValue)
        }
    }

    mutating func raw<Value>(_ raw: Raw<Value>?) where Value.RawValue == Int64 {
        optionalSigned(raw?.rawValue)
    }

    /// The number whose decimal form is exactly `text`; nil when there is none.
    private static func canonicalNumber(_ text: String) -> UInt64? {
        let utf8 = text.utf8
        guard !utf8.isEmpty, utf8.count <= 19 else { return nil }
        guard utf8.count == 1 || utf8.first != UInt8(ascii: "0") else { return nil }
        var number: UInt64 = 0
        for byte in utf8 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + UInt64(byte - UInt8(ascii: "0"))
        }
        return number
    }
}

/// The indexes of enum values in stored facts. The order of cases is part of the stored form:
/// changing it requires a new `Fact.decoderVersion`.
enum FactTables {
    static let notificationTypes = NotificationType.allCases
    static let subtypes = Subtype.allCases
    static let productTypes = ProductType.allCases
    static let ownershipTypes = InAppOwnershipType.allCases
    static let revocationTypes = RevocationType.allCases
    static let transactionReasons = TransactionReason.allCases
    static let discountTypes = OfferDiscountType.allCases
    static let billingPlanTypes = BillingPlanType.allCases
    static let kinds = EventKind.allCases
    static let trusts = Trust.allCases
}
