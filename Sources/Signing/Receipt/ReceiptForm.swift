public import AppStore

/// The encodings of a receipt: binary, base64 as the data of `appStoreReceiptURL` is sent, in
/// lines, or between PEM markers; also in the URL alphabet (RFC 4648 §5), and without padding.
public enum ReceiptForm {
    /// The receipt as BER.
    ///
    /// Throws `payloadTooLarge` for more than `AppReceiptLimits.byteCount`, and `malformedReceipt`
    /// for any other encoding.
    public static func decode(_ bytes: [UInt8]) throws(VerificationError) -> [UInt8] {
        guard bytes.count <= AppReceiptLimits.byteCount else {
            throw VerificationError(
                .payloadTooLarge,
                reason: "A receipt has at most \(AppReceiptLimits.byteCount) bytes.")
        }
        // Base64 of a sequence begins with M, so text is never mistaken for binary.
        if bytes.first == BERTag.sequence { return bytes }
        guard let decoded = base64(bytes) else {
            throw VerificationError(
                .malformedReceipt, reason: "The input is neither a binary nor a base64 receipt.")
        }
        return decoded
    }

    /// The transaction receipt of iOS 6 in `bytes`, as text or base64; nil for other input.
    public static func transactionReceipt(_ bytes: [UInt8]) -> TransactionReceipt? {
        guard bytes.count <= AppReceiptLimits.byteCount else { return nil }
        let text = isTransactionText(bytes) ? bytes : base64(bytes)
        guard let text else { return nil }
        return TransactionReceipt(text: text) { base64($0) }
    }

    private static func isTransactionText(_ bytes: [UInt8]) -> Bool {
        bytes.first { !isSpace($0) } == UInt8(ascii: "{")
    }

    /// Base64 after removing white space, PEM marker lines, and surrounding quotation marks; the
    /// rest must be canonical.
    private static func base64(_ bytes: [UInt8]) -> [UInt8]? {
        let text = trimmed(bytes[...])
        guard !text.isEmpty else { return nil }
        // As devices send it, in one piece, without a copy.
        if let decoded = text.withUnsafeBufferPointer({ Base64.standard.decode($0) }) {
            return decoded
        }
        var pieces: [UInt8] = []
        pieces.reserveCapacity(text.count)
        let lineEnds: [UInt8] = [0x0A, 0x0D]
        for line in text.split(whereSeparator: { lineEnds.contains($0) })
        where !line.starts(with: pemMark) {
            for byte in line where !isSpace(byte) { pieces.append(byte) }
        }
        return pieces.isEmpty
            ? nil : Base64.standard.decode(pieces) ?? Base64.standard.decode(standard(pieces))
    }

    /// Converts the URL alphabet without padding to the standard one.
    private static func standard(_ text: [UInt8]) -> [UInt8] {
        var text = text.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return text
    }

    private static let pemMark = Array("-----".utf8)

    /// Without surrounding white space, and one pair of quotation marks inside it.
    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = bytes.drop { isSpace($0) }
        while let last = text.last, isSpace(last) { text.removeLast() }
        let quote = UInt8(ascii: "\"")
        guard text.count >= 2, text.first == quote, text.last == quote else { return text }
        return text.dropFirst().dropLast()
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }
}
