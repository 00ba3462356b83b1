public import AppStore

/// The bytes of a receipt in whatever form it is handed around: binary, base64 as
/// `appStoreReceiptURL`'s data is sent, broken into lines, or between PEM's marks.
public enum ReceiptForm {
    /// The receipt as BER.
    ///
    /// Throws `payloadTooLarge` for more than `AppReceiptLimits.byteCount`, and `malformedReceipt`
    /// for what is neither.
    public static func decode(_ bytes: [UInt8]) throws(VerificationError) -> [UInt8] {
        guard bytes.count <= AppReceiptLimits.byteCount else {
            throw VerificationError(
                .payloadTooLarge,
                reason: "A receipt has at most \(AppReceiptLimits.byteCount) bytes.")
        }
        // Base64 of a sequence begins with M, so no text is taken for binary.
        if bytes.first == BERTag.sequence { return bytes }
        guard let decoded = base64(bytes) else {
            throw VerificationError(
                .malformedReceipt, reason: "It is neither a binary receipt nor one in base64.")
        }
        return decoded
    }

    /// The transaction receipt of iOS 6 in `bytes`: its text, or that in base64. Nil for others.
    public static func transactionReceipt(_ bytes: [UInt8]) -> TransactionReceipt? {
        guard bytes.count <= AppReceiptLimits.byteCount else { return nil }
        let text = isTransactionText(bytes) ? bytes : base64(bytes)
        guard let text else { return nil }
        return TransactionReceipt(text: text) { base64($0) }
    }

    private static func isTransactionText(_ bytes: [UInt8]) -> Bool {
        bytes.first { !isSpace($0) } == UInt8(ascii: "{")
    }

    /// Base64 without white space, lines that begin with PEM's hyphens, and quotation marks around
    /// it; what is left must be canonical.
    private static func base64(_ bytes: [UInt8]) -> [UInt8]? {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        let lineEnds: [UInt8] = [0x0A, 0x0D]
        for line in bytes.split(whereSeparator: { lineEnds.contains($0) }) {
            guard !line.starts(with: Array("-----".utf8)) else { continue }
            text.append(contentsOf: line.lazy.filter { !isSpace($0) })
        }
        let quote = UInt8(ascii: "\"")
        if text.count >= 2, text.first == quote, text.last == quote {
            text = Array(text.dropFirst().dropLast())
        }
        guard !text.isEmpty else { return nil }
        return Base64Standard.decode(text)
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }
}
