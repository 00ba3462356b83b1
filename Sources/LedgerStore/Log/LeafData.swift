internal import AppStore

/// The length-prefixed input of a leaf hash; see `RecordedEvent.leafData`.
struct LeafData {
    /// Begins with the leaf prefix of RFC 6962 §2.1.
    private(set) var bytes: [UInt8]

    private static let absent = UInt32.max
    /// Capacity for a leaf with Apple's usual ids.
    private static let usualByteCount = 448

    init() {
        bytes = []
        bytes.reserveCapacity(LeafData.usualByteCount)
        bytes.append(0x00)
    }

    mutating func append(_ text: String?) {
        guard let text else { return appendLength(LeafData.absent) }
        appendLength(UInt32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ value: Int64?) {
        guard let value else { return appendLength(LeafData.absent) }
        appendLength(8)
        appendWord(UInt64(bitPattern: value))
    }

    mutating func append(_ digest: Digest?) {
        guard let words = digest?.words else { return appendLength(LeafData.absent) }
        appendLength(UInt32(Digest.byteCount))
        appendWord(words.0)
        appendWord(words.1)
        appendWord(words.2)
        appendWord(words.3)
    }

    mutating func append(_ flag: Bool) {
        appendLength(1)
        bytes.append(flag ? 1 : 0)
    }

    private mutating func appendLength(_ length: UInt32) {
        withUnsafeBytes(of: length.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func appendWord(_ word: UInt64) {
        withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
