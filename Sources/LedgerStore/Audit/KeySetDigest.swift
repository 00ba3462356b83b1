package import AppStore
internal import Signing

/// An order-independent sum over (key, position): equal for the rows and for the index of their
/// keys, unless an entry differs.
package struct KeySetDigest: Hashable, Sendable {
    private var first: UInt64 = 0
    private var second: UInt64 = 0
    private(set) var count: Int64 = 0

    package init() {}

    package mutating func add(_ key: Digest, _ position: Int64) {
        var hasher = SHA256Hasher()
        hasher.update(key)
        hasher.update(bigEndian: UInt64(bitPattern: position))
        let digest = hasher.finish()
        first &+= digest.words.0
        second &+= digest.words.1
        count += 1
    }
}
