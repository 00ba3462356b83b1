public import AppStore
internal import Signing

/// The right edge of a Merkle tree (RFC 6962 §2.1): the hashes of its full subtrees, largest first,
/// one for every bit set in the size. It suffices to append and to compute the root.
public struct CompactRange: Hashable, Sendable {
    /// Leaves in the tree.
    public private(set) var size: Int64
    /// Roots of the full subtrees, largest first.
    public private(set) var nodes: [Digest]

    /// Prefix of an inner node (RFC 6962 §2.1).
    static let nodePrefix: UInt8 = 0x01

    /// The empty tree.
    public init() {
        size = 0
        nodes = []
    }

    /// Reads the output of `bytes`; nil unless it holds one hash for every bit set in `size`.
    package init?(size: Int64, bytes: [UInt8]) {
        guard size >= 0, bytes.count == size.nonzeroBitCount * Digest.byteCount else { return nil }
        self.size = size
        nodes = stride(from: 0, to: bytes.count, by: Digest.byteCount).compactMap {
            Digest(bytes: bytes[$0..<($0 + Digest.byteCount)])
        }
    }

    /// The concatenated hashes, as stored in the head row.
    package var bytes: [UInt8] { nodes.flatMap(\.bytes) }

    /// Adds a leaf by its hash; joins as many nodes as the size has trailing ones.
    public mutating func append(_ leafHash: Digest) {
        var joined = leafHash
        for _ in 0..<(~size).trailingZeroBitCount {
            joined = SHA256.hash(prefix: CompactRange.nodePrefix, nodes.removeLast(), joined)
        }
        nodes.append(joined)
        size += 1
    }

    /// The root; for the empty tree, the SHA-256 of nothing.
    public var root: Digest {
        guard var root = nodes.last else { return SHA256.hash([]) }
        for node in nodes.dropLast().reversed() {
            root = SHA256.hash(prefix: CompactRange.nodePrefix, node, root)
        }
        return root
    }
}
