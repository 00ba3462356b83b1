public import AppStore
internal import Signing

/// Shows that a leaf is in a tree (RFC 9162 §2.1.3): with these hashes a verifier recomputes the
/// root from the leaf.
public struct InclusionProof: Hashable, Sendable {
    public let leafHash: Digest
    /// From 0: the event's position less one.
    public let leafIndex: Int64
    /// Leaves in the tree.
    public let treeSize: Int64
    /// The roots of the sibling subtrees on the path to the root, from the leaf up.
    public let path: [Digest]
    public let root: Digest

    package init(
        leafHash: Digest, leafIndex: Int64, treeSize: Int64, path: [Digest], root: Digest
    ) {
        self.leafHash = leafHash
        self.leafIndex = leafIndex
        self.treeSize = treeSize
        self.path = path
        self.root = root
    }

    /// Whether the path leads from the leaf to the root (RFC 9162 §2.1.3.2).
    public var isValid: Bool {
        guard leafIndex >= 0, leafIndex < treeSize else { return false }
        var (node, last, hash) = (leafIndex, treeSize - 1, leafHash)
        for sibling in path {
            guard last > 0 else { return false }
            if node & 1 == 1 || node == last {
                hash = SHA256.hash(prefix: CompactRange.nodePrefix, sibling, hash)
                while node & 1 == 0, node > 0 { (node, last) = (node >> 1, last >> 1) }
            } else {
                hash = SHA256.hash(prefix: CompactRange.nodePrefix, hash, sibling)
            }
            (node, last) = (node >> 1, last >> 1)
        }
        return last == 0 && hash == root
    }

    /// The leaves `[from, to)` below each node of the path, from the leaf up (RFC 9162 §2.1.3.1).
    static func siblings(of leaf: Int64, in size: Int64) -> [Range<Int64>] {
        var (start, end) = (Int64(0), size)
        var found: [Range<Int64>] = []
        while end - start > 1 {
            let middle = start + half(of: end - start)
            if leaf < middle {
                found.append(middle..<end)
                end = middle
            } else {
                found.append(start..<middle)
                start = middle
            }
        }
        return found.reversed()
    }

    /// The largest power of two below a count above 1: the leaves of the left subtree.
    static func half(of count: Int64) -> Int64 {
        1 << (Int64.bitWidth - 1 - (count - 1).leadingZeroBitCount)
    }
}
