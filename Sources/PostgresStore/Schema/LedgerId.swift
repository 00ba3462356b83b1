internal import AppStore
internal import Foundation

/// The identity of a ledger: 16 random bytes, chosen when its schema is created. A node that
/// remembers it never joins another ledger by mistake.
public struct LedgerId: Hashable, Sendable, CustomStringConvertible {
    let bytes: [UInt8]

    /// Nil unless 16 bytes are given.
    init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// From the output of `description`; nil for anything else.
    public init?(_ text: String) {
        guard let bytes = Hexadecimal.bytes(text.utf8) else { return nil }
        self.init(bytes: bytes)
    }

    static func random() -> LedgerId {
        var generator = SystemRandomNumberGenerator()
        return LedgerId(
            bytes: (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })!
    }

    /// 32 lower-case hexadecimal digits.
    public var description: String { bytes.map { String(format: "%02x", $0) }.joined() }
}
