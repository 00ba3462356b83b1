public import AppStore
internal import Signing

/// The contents of a generated receipt: its attributes in the order they are written
/// (`Receipts.md`).
public struct ReceiptContents: Sendable, Hashable {
    public typealias Attribute = ReceiptAttribute

    /// In the order written.
    public var attributes: [Attribute]

    public init(_ attributes: [Attribute]) { self.attributes = attributes }

    /// The contents of every App Store receipt, with a hash for the device of `deviceIdentifier`.
    public init(
        type: ReceiptType = .productionSandbox, bundleId: String = "com.example.app",
        creationDate: Timestamp, deviceIdentifier: [UInt8] = [UInt8](0..<16),
        purchases: [[Attribute]] = []
    ) {
        let opaque: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        let name = Attribute.text(2, bundleId)
        let hash = ReceiptDevice.hash(
            identifier: deviceIdentifier, opaque: opaque, bundleIdValue: name.value)
        attributes =
            [
                .text(0, type.rawValue), .number(1, type == .production ? 1_234_567_890 : 0), name,
                .text(3, "1.2.3"), Attribute(4, value: opaque), Attribute(5, value: hash),
                .date(8, nil), .date(12, creationDate), .number(15, 0), .number(16, 0),
                .date(18, creationDate), .text(19, "1.0"),
            ] + purchases.map { .purchase($0) }
    }

    /// An auto-renewable subscription's attributes.
    public static func subscription(
        productId: String, transactionId: String, originalTransactionId: String? = nil,
        purchaseDate: Timestamp, expiresDate: Timestamp?, cancellationDate: Timestamp? = nil
    ) -> [Attribute] {
        [
            .number(1701, 1), .number(1707, 3), .number(1711, 1_000_000_030_274_153),
            .text(1702, productId), .text(1703, transactionId),
            .text(1705, originalTransactionId ?? transactionId), .date(1704, purchaseDate),
            .date(1706, purchaseDate), .date(1708, expiresDate), .date(1712, cancellationDate),
            .number(1713, 0), .number(1719, 0), .text(1714, ""),
        ]
    }

    /// The signed content: a SET of attributes.
    public var payload: [UInt8] { ReceiptContents.set(attributes) }

    fileprivate static func set(_ attributes: [Attribute]) -> [UInt8] {
        DER.set(
            attributes.map { attribute in
                DER.sequence([
                    DER.integer(attribute.type), DER.integer(attribute.version),
                    DER.octetString(attribute.value),
                ])
            })
    }
}

extension ReceiptAttribute {
    /// An attribute of any bytes, valid or not.
    public init(_ type: Int64, version: Int64 = 1, value: [UInt8]) {
        self.init(type: type, version: version, value: value)
    }

    public static func text(_ type: Int64, _ text: String) -> ReceiptAttribute {
        ReceiptAttribute(type, value: DER.utf8String(text))
    }

    /// A time, to the second; nil is written as empty text.
    public static func date(_ type: Int64, _ moment: Timestamp?) -> ReceiptAttribute {
        // 2026-01-31T23:59:59.000Z without the milliseconds, as the App Store writes.
        let text = moment.map { String($0.rfc3339.prefix(19)) + "Z" } ?? ""
        return ReceiptAttribute(type, value: DER.ia5String(text))
    }

    /// A whole number.
    public static func number(_ type: Int64, _ number: Int64) -> ReceiptAttribute {
        ReceiptAttribute(type, value: DER.integer(number))
    }

    /// One in-app purchase.
    public static func purchase(_ attributes: [ReceiptAttribute]) -> ReceiptAttribute {
        ReceiptAttribute(17, value: ReceiptContents.set(attributes))
    }
}
