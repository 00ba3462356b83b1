import AppStore
import Signing

/// Tells an input that is one receipt from one of lines: binary, base64 broken into lines, or PEM.
package enum WholeReceipt {
    /// Whether bytes begin as a binary receipt does: a sequence too long for a length of one byte.
    /// No text does.
    static func isBinary(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.first == BERTag.sequence && (bytes.dropFirst().first ?? 0) >= 0x80
    }

    /// Whether bytes begin as a receipt may, in any form: worth reading all of it.
    static func mayBegin(_ bytes: some Collection<UInt8>) -> Bool {
        isBinary(bytes) || bytes.starts(with: "MI".utf8) || bytes.starts(with: "\"MI".utf8)
            || bytes.starts(with: "-----".utf8)
    }

    /// Whether a line is a whole receipt by itself, be it believed or not.
    static func isReceipt(_ line: ArraySlice<UInt8>) -> Bool {
        (try? ReceiptVerifier.readUnverified(Array(line))) != nil
    }

    /// The receipt, binary; nil for what is no single one.
    package static func decode(_ bytes: [UInt8]) -> [UInt8]? {
        if isBinary(bytes) { return bytes }
        // Several of them, a line each, could pass for one whose lines were broken.
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
