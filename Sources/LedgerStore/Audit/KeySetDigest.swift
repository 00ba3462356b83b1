package import AppStore
internal import Signing

/// An order-independent sum over (key, position): equal for the rows and for the index of their
/// keys, unless an entry differs.
package struct KeySetDigest: Hashable, Sendable {
    private var words: (UInt64, UInt64) = (0, 0)
    private(set) var count: Int64 = 0

    package init() {
    }

    package mutating func add(_ key: Digest, _ position: Int64) {
        var hasher = SHA256Hasher()
        hasher.update(key)
        hasher.update(bigEndian: UInt64(bitPattern: position))
        let digest = hasher.finish()
        words.0 &+= digest.words.0
        words.1 &+= digest.words.1
        count += 1
    }

    package static func == (left: KeySetDigest, right: KeySetDigest) -> Bool {
        left.words == right.words && left.count == right.count
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
