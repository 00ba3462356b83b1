/// A `transactionReceipt` of iOS 6 and earlier: one purchase as plain text. Apple no longer
/// documents the form of its signature, which is not verified here: its ids may be used in requests
/// to the App Store, never as evidence (`Receipts.md`, ReceiptUtility).
public struct TransactionReceipt: Hashable, Sendable {
    /// `transaction-id`.
    public let transactionId: TransactionId
    /// `original-transaction-id`; equal to `transactionId` for a first purchase.
    public let originalTransactionId: OriginalTransactionId?
    /// `product-id`.
    public let productId: ProductId?
    /// `bid`.
    public let bundleId: BundleId?
    /// `environment` outside the purchase; only written for Sandbox.
    public let environment: Raw<Environment>?

    /// Parses the receipt's text (`{ "purchase-info" = "…"; … }`); nil if it is not one or names no
    /// transaction. `decodeBase64` decodes the purchase inside it; nil for invalid base64.
    package init?(text: [UInt8], decodeBase64: ([UInt8]) -> [UInt8]?) {
        guard text.count <= AppReceiptLimits.byteCount,
            let encoded = TransactionReceipt.value(of: "purchase-info", in: text),
            let purchase = decodeBase64(encoded),
            let id = TransactionReceipt.text(of: "transaction-id", in: purchase)
        else { return nil }
        transactionId = TransactionId(id)
        originalTransactionId = TransactionReceipt.text(of: "original-transaction-id", in: purchase)
            .map { OriginalTransactionId($0) }
        productId = TransactionReceipt.text(of: "product-id", in: purchase).map { ProductId($0) }
        bundleId = TransactionReceipt.text(of: "bid", in: purchase).map { BundleId($0) }
        environment = TransactionReceipt.text(of: "environment", in: text)
            .map { Raw(rawValue: $0) }
    }

    private static func text(of name: String, in bytes: [UInt8]) -> String? {
        value(of: name, in: bytes).flatMap { value in
            value.isEmpty ? nil : String(validating: value, as: UTF8.self)
        }
    }

    /// The text between quotes in the first `"name" = "text";`, or nil.
    private static func value(of name: String, in bytes: [UInt8]) -> [UInt8]? {
        let quote = UInt8(ascii: "\"")
        let key = [quote] + Array(name.utf8) + [quote]
        guard bytes.count > key.count else { return nil }
        for start in 0...(bytes.count - key.count) where bytes[start] == quote {
            guard bytes[start..<(start + key.count)].elementsEqual(key) else { continue }
            var next = skipSpace(from: start + key.count, in: bytes)
            guard next < bytes.count, bytes[next] == UInt8(ascii: "=") else { continue }
            next = skipSpace(from: next + 1, in: bytes)
            guard next < bytes.count, bytes[next] == quote,
                let end = bytes[(next + 1)...].firstIndex(of: quote)
            else { continue }
            let closing = skipSpace(from: end + 1, in: bytes)
            guard closing < bytes.count, bytes[closing] == UInt8(ascii: ";") else { continue }
            return Array(bytes[(next + 1)..<end])
        }
        return nil
    }

    private static func skipSpace(from start: Int, in bytes: [UInt8]) -> Int {
        var index = start
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
        return index
    }
}
