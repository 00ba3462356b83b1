public import AppStore
internal import Signing

/// Shows that a tree extends an earlier one (RFC 9162 §2.1.4): with these hashes a verifier
/// recomputes both roots, and every leaf of the earlier tree is in the later one at its place.
public struct ConsistencyProof: Hashable, Sendable {
    /// Leaves in the earlier and in the later tree.
    public let from: Int64
    public let to: Int64
    public let path: [Digest]
    public let fromRoot: Digest
    public let toRoot: Digest

    package init(from: Int64, to: Int64, path: [Digest], fromRoot: Digest, toRoot: Digest) {
        self.from = from
        self.to = to
        self.path = path
        self.fromRoot = fromRoot
        self.toRoot = toRoot
    }

    /// Whether the path leads to both roots (RFC 9162 §2.1.4.2).
    public var isValid: Bool {
        guard from > 0, from <= to else { return false }
        guard from < to else { return path.isEmpty && fromRoot == toRoot }
        var rest = path[...]
        // The root of a tree that is a full subtree of the later one is not repeated.
        if from.nonzeroBitCount == 1 { rest = [fromRoot] + rest }
        guard let start = rest.popFirst() else { return false }
        var (node, last) = (from - 1, to - 1)
        while node & 1 == 1 { (node, last) = (node >> 1, last >> 1) }
        var (older, newer) = (start, start)
        for sibling in rest {
            guard last > 0 else { return false }
            if node & 1 == 1 || node == last {
                older = SHA256.hash(prefix: CompactRange.nodePrefix, sibling, older)
                newer = SHA256.hash(prefix: CompactRange.nodePrefix, sibling, newer)
                while node & 1 == 0, node > 0 { (node, last) = (node >> 1, last >> 1) }
            } else {
                newer = SHA256.hash(prefix: CompactRange.nodePrefix, newer, sibling)
            }
            (node, last) = (node >> 1, last >> 1)
        }
        return last == 0 && older == fromRoot && newer == toRoot
    }

    /// The leaves below each node of the path (RFC 9162 §2.1.4.1).
    static func parts(from: Int64, to: Int64) -> [Range<Int64>] {
        guard from < to else { return [] }
        var (start, end) = (Int64(0), to)
        var isWhole = true
        var found: [Range<Int64>] = []
        while end != from {
            let middle = start + InclusionProof.half(of: end - start)
            if from <= middle {
                found.append(middle..<end)
                end = middle
            } else {
                found.append(start..<middle)
                start = middle
                isWhole = false
            }
        }
        if !isWhole { found.append(start..<end) }
        return found.reversed()
    }
}
