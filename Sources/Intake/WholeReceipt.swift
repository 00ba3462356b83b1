import AppStore
import Signing

/// Distinguishes an input that is one receipt (binary, base64 broken into lines, or PEM) from one
/// of lines.
package enum WholeReceipt {
    /// Whether bytes start like a binary receipt: a sequence longer than a one-byte length allows.
    /// No text starts so.
    static func isBinary(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.first == BERTag.sequence && (bytes.dropFirst().first ?? 0) >= 0x80
    }

    /// Whether bytes may be the start of a receipt in any form.
    static func mayBegin(_ bytes: some Collection<UInt8>) -> Bool {
        isBinary(bytes) || bytes.starts(with: "MI".utf8) || bytes.starts(with: "\"MI".utf8)
            || bytes.starts(with: "-----".utf8)
    }

    /// Whether a line is a whole receipt by itself, verified or not.
    static func isReceipt(_ line: ArraySlice<UInt8>) -> Bool {
        (try? ReceiptVerifier.readUnverified(Array(line))) != nil
    }

    /// The receipt in binary; nil unless it is exactly one.
    package static func decode(_ bytes: [UInt8]) -> [UInt8]? {
        if isBinary(bytes) { return bytes }
        // Several receipts, one per line, could look like one with broken lines.
        if let end = bytes.firstIndex(of: UInt8(ascii: "\n")), end < bytes.count - 1,
            isReceipt(bytes[..<end])
        {
            return nil
        }
        guard bytes.first != BERTag.sequence, let decoded = try? ReceiptForm.decode(bytes),
            decoded.first == BERTag.sequence
        else { return nil }
        return decoded
    }
}
