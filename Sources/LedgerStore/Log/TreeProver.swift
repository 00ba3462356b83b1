public import AppStore
internal import Signing
internal import Synchronization

/// Proves what is in the tree of one log, and that later trees extend earlier ones (RFC 9162 §2.1).
/// The log stores no inner nodes. They are computed once from all leaf hashes, down to blocks of
/// `LogLimits.provenBlockCount` events, and kept in memory and, by their blocks, in a file: later
/// proofs read the leaves of two blocks at most.
public final class TreeProver: Sendable {
    private let log: any LedgerLog
    private let file: SubtreeRootFile?
    private let turn = AsyncLock()
    private let levels = Mutex(Levels())
    /// A head whose leaves do not give its root: they are not read again for it.
    private let unsound = Mutex<LogHead?>(nil)

    static let width = LogLimits.provenBlockCount

    /// The nodes at and above the full blocks: each level holds the roots of its full subtrees.
    private struct Levels {
        private(set) var nodes: [[Digest]] = [[]]

        var blockCount: Int { nodes[0].count }

        mutating func append(_ block: Digest) {
            nodes[0].append(block)
            var level = 0
            while nodes[level].count.isMultiple(of: 2) {
                if level + 1 == nodes.count { nodes.append([]) }
                let pair = nodes[level].suffix(2)
                nodes[level + 1].append(TreeProver.joined(pair[pair.startIndex], pair.last!))
                level += 1
            }
        }
    }

    /// - `directory`: where computed nodes are kept; nil keeps them in memory alone.
    public init(_ log: any LedgerLog, directory: String? = nil) {
        self.log = log
        file = directory.map { SubtreeRootFile(directory: $0) }
    }

    // MARK: Proofs

    /// The proof of an event in the tree of the whole log; nil where the leaves do not give the
    /// root of the log: the log is damaged (`audit verify`), or the event is not in it.
    public func proof(of event: RecordedEvent) async throws(StoreError) -> InclusionProof? {
        let head = try await log.head()
        return try await proof(of: event, in: head.position)
    }

    /// The proof of an event in the tree of the first `size` events; nil as for the whole log.
    public func proof(
        of event: RecordedEvent, in size: Int64
    ) async throws(StoreError) -> InclusionProof? {
        guard event.position > 0, event.position <= size, !event.isDamaged else { return nil }
        let siblings = InclusionProof.siblings(of: event.position - 1, in: size)
        guard let nodes = try await nodes(siblings + [0..<size])?.nodes, let root = nodes.last
        else {
            return nil
        }
        let proof = InclusionProof(
            leafHash: event.leafHash, leafIndex: event.position - 1, treeSize: size,
            path: nodes.dropLast(), root: root)
        return proof.isValid ? proof : nil
    }

    /// The proof that the tree of the first `to` events extends that of the first `from`; nil where
    /// the log is shorter, or damaged.
    public func consistency(
        from: Int64, to: Int64
    ) async throws(StoreError) -> ConsistencyProof? {
        guard from > 0, from <= to else { return nil }
        let parts = ConsistencyProof.parts(from: from, to: to)
        guard let nodes = try await nodes(parts + [0..<from, 0..<to])?.nodes else { return nil }
        return ConsistencyProof(
            from: from, to: to, path: Array(nodes.dropLast(2)), fromRoot: nodes[nodes.count - 2],
            toRoot: nodes[nodes.count - 1])
    }

    /// The root of the tree of the first `size` events; nil as for proofs.
    public func root(of size: Int64) async throws(StoreError) -> Digest? {
        try await extended(size)?.root
    }

    /// The root of the tree of the first `size` events, and the head of a log that extends it; nil
    /// as for proofs.
    public func extended(
        _ size: Int64
    ) async throws(StoreError) -> (root: Digest, head: LogHead)? {
        guard size >= 0, let found = try await nodes(size > 0 ? [0..<size] : []) else { return nil }
        return (found.nodes.last ?? CompactRange().root, found.head)
    }

    /// Computes the nodes that are missing, in short reads, so that the first proof need not.
    public func prepare() async throws(StoreError) {
        _ = try await nodes([])
    }

    // MARK: Nodes

    /// The nodes over ranges of leaves, of a log whose leaves give its root; nil otherwise.
    private func nodes(
        _ ranges: [Range<Int64>]
    ) async throws(StoreError) -> (head: LogHead, nodes: [Digest])? {
        try await turn.pass { () async throws(StoreError) in try await checkedNodes(ranges) }
    }

    private func checkedNodes(
        _ ranges: [Range<Int64>]
    ) async throws(StoreError) -> (head: LogHead, nodes: [Digest])? {
        let (head, edge) = try await log.edge()
        guard ranges.allSatisfy({ $0.upperBound <= head.position }) else { return nil }
        guard head.position > 0 else { return ranges.isEmpty ? (head, []) : nil }
        guard unsound.withLock({ $0?.position != head.position || $0?.root != head.root }) else {
            return nil
        }
        // A file may be another log's, and a shared log may have gone back and then have other
        // leaves than before.
        for isFresh in [false, true] {
            if isFresh { levels.withLock { $0 = Levels() } }
            guard try await extendLevels(to: head.position, isFresh: isFresh) else { continue }
            let known = [head.position / TreeProver.width: edge]
            guard let nodes = try await computed(ranges + [0..<head.position], known),
                nodes.last == head.root
            else { continue }
            return (head, nodes.dropLast())
        }
        unsound.withLock { $0 = head }
        return nil
    }

    /// - Parameter known: leaves that were read, by their block.
    private func computed(
        _ ranges: [Range<Int64>], _ known: [Int64: [Digest]]
    ) async throws(StoreError) -> [Digest]? {
        let nodes = levels.withLock { $0.nodes }
        var leaves = known
        for range in ranges {
            guard let block = TreeProver.partBlock(of: range), leaves[block] == nil else {
                continue
            }
            let start = block * TreeProver.width
            leaves[block] = try await log.leafHashes(
                after: start, through: start + TreeProver.width)
        }
        var found: [Range<Int64>: Digest] = [:]
        for range in ranges where found[range] == nil {
            guard let node = TreeProver.node(range, nodes, leaves) else { return nil }
            found[range] = node
        }
        return ranges.compactMap { found[$0] }
    }

    /// The block of whose leaves a range has some but not all; nil without one.
    private static func partBlock(of range: Range<Int64>) -> Int64? {
        range.upperBound % width == 0 && Int64(range.count) >= width
            ? nil : (range.upperBound - 1) / width
    }

    /// The node over a range of the shape that trees have: aligned, or their right edge.
    private static func node(
        _ range: Range<Int64>, _ nodes: [[Digest]], _ leaves: [Int64: [Digest]]
    ) -> Digest? {
        let count = Int64(range.count)
        guard count > width || count == width && range.lowerBound % width == 0 else {
            let block = range.lowerBound / width
            let start = Int(range.lowerBound - block * width)
            guard let leaves = leaves[block], leaves.count >= start + Int(count) else {
                return nil
            }
            var tree = CompactRange()
            for leaf in leaves[start..<(start + Int(count))] { tree.append(leaf) }
            return tree.root
        }
        if count.nonzeroBitCount == 1 {
            let level = (count / width).trailingZeroBitCount
            let index = Int(range.lowerBound / count)
            guard level < nodes.count, index < nodes[level].count else { return nil }
            return nodes[level][index]
        }
        let middle = range.lowerBound + InclusionProof.half(of: count)
        guard let left = node(range.lowerBound..<middle, nodes, leaves),
            let right = node(middle..<range.upperBound, nodes, leaves)
        else { return nil }
        return joined(left, right)
    }

    private static func joined(_ left: Digest, _ right: Digest) -> Digest {
        SHA256.hash(prefix: CompactRange.nodePrefix, left, right)
    }

    // MARK: Blocks

    private var blockCount: Int { levels.withLock { $0.blockCount } }

    private func add(_ blocks: ArraySlice<Digest>) {
        levels.withLock { levels in
            for block in blocks { levels.append(block) }
        }
    }

    /// Computes the roots of the full blocks of a tree; false where a leaf is missing.
    ///
    /// - Parameter isFresh: whether the file is not to be trusted; no block is known then.
    private func extendLevels(to size: Int64, isFresh: Bool) async throws(StoreError) -> Bool {
        let width = TreeProver.width
        let count = Int(size / width)
        if !isFresh, count > 0, blockCount == 0 {
            add(file?.roots().prefix(count) ?? [])
        }
        let stored = blockCount
        var added: [Digest] = []
        while stored + added.count < count {
            let start = Int64(stored + added.count) * width
            let more = min(
                Int64(count - stored - added.count), LogLimits.scannedEventCount / width)
            let leaves = try await log.leafHashes(after: start, through: start + more * width)
            guard leaves.count == Int(more * width) else { return false }
            for first in stride(from: 0, to: leaves.count, by: Int(width)) {
                var block = CompactRange()
                for leaf in leaves[first..<(first + Int(width))] { block.append(leaf) }
                added.append(block.root)
            }
        }
        guard !added.isEmpty else { return true }
        add(added[...])
        file?.write(added, after: stored)
        return true
    }
}
