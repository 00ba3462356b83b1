internal import AppStore
internal import Signing
internal import Synchronization

/// Makes inclusion proofs of one log. The log stores no inner nodes: the roots of its full blocks
/// are computed once, from all leaf hashes, and kept in memory, 32 bytes for
/// `LogLimits.provenBlockCount` events. Later proofs read the leaves of two blocks at most.
public final class InclusionProver: Sendable {
    private let log: any LedgerLog
    private let turn = AsyncLock()
    /// Roots of the first full blocks.
    private let blocks = Mutex<[Digest]>([])

    private static let width = LogLimits.provenBlockCount

    public init(_ log: any LedgerLog) { self.log = log }

    /// The proof of an event in the tree of the whole log; nil where the leaves do not give the
    /// root of the log: the log is damaged (`audit verify`), or the event is not in it.
    ///
    /// The first proof reads every leaf hash, in short reads.
    public func proof(of event: RecordedEvent) async throws(StoreError) -> InclusionProof? {
        let head = try await log.head()
        guard event.position > 0, event.position <= head.position, !event.isDamaged else {
            return nil
        }
        let found = await turn.pass {
            await Outcome { () throws(StoreError) in try await self.proof(of: event, in: head) }
        }
        return try found.get()
    }

    private func proof(
        of event: RecordedEvent, in head: LogHead
    ) async throws(StoreError) -> InclusionProof? {
        // A shared log may have gone back, and then have other leaves than before.
        for isFresh in [false, true] {
            if isFresh { blocks.withLock { $0 = [] } }
            let path = try await path(to: event.position - 1, in: head.position)
            guard let path else { continue }
            let proof = InclusionProof(
                leafHash: event.leafHash, leafIndex: event.position - 1, treeSize: head.position,
                path: path, root: head.root)
            if proof.isValid { return proof }
        }
        return nil
    }

    /// Nil where a leaf is missing.
    private func path(to leaf: Int64, in size: Int64) async throws(StoreError) -> [Digest]? {
        guard let blocks = try await blocks(through: size) else { return nil }
        let own = leaf / InclusionProver.width
        let (near, isNearWhole) = try await leaves(of: own, size)
        let (tail, isTailWhole) = try await leaves(of: size / InclusionProver.width, size)
        guard isNearWhole, isTailWhole else { return nil }
        return InclusionProof.siblings(of: leaf, in: size).map { range in
            let block = range.lowerBound / InclusionProver.width
            let start = block * InclusionProver.width
            guard range.count >= InclusionProver.width else {
                let leaves = block == own ? near : tail
                return InclusionProver.root(
                    leaves[Int(range.lowerBound - start)..<Int(range.upperBound - start)])
            }
            let end = range.upperBound / InclusionProver.width
            let rest = range.upperBound % InclusionProver.width
            return InclusionProver.root(
                blocks[Int(block)..<Int(end)], then: tail.prefix(Int(rest)))
        }
    }

    /// The leaf hashes of a block, as far as the tree has them, and whether they are all there.
    private func leaves(
        of block: Int64, _ size: Int64
    ) async throws(StoreError) -> ([Digest], isWhole: Bool) {
        let start = block * InclusionProver.width
        let end = min(size, start + InclusionProver.width)
        guard start < end else { return ([], true) }
        let leaves = try await log.leafHashes(after: start, through: end)
        return (leaves, leaves.count == Int(end - start))
    }

    /// The roots of all full blocks of a tree; nil where a leaf is missing.
    private func blocks(through size: Int64) async throws(StoreError) -> [Digest]? {
        let width = InclusionProver.width
        let count = Int(size / width)
        var known = blocks.withLock { $0 }
        while known.count < count {
            let start = Int64(known.count) * width
            let more = min(Int64(count - known.count), LogLimits.scannedEventCount / width)
            let leaves = try await log.leafHashes(after: start, through: start + more * width)
            guard leaves.count == Int(more * width) else { return nil }
            for first in stride(from: 0, to: leaves.count, by: Int(width)) {
                known.append(InclusionProver.root(leaves[first..<(first + Int(width))]))
            }
            let found = known
            blocks.withLock { $0 = found }
        }
        return Array(known.prefix(count))
    }

    private static func root(_ leaves: ArraySlice<Digest>) -> Digest {
        root(leaves, then: [])
    }

    /// The root over full subtrees of one size, and the leaves after them.
    private static func root(
        _ subtrees: ArraySlice<Digest>, then leaves: ArraySlice<Digest>
    ) -> Digest {
        var left = CompactRange()
        for subtree in subtrees { left.append(subtree) }
        guard !leaves.isEmpty else { return left.root }
        var root = root(leaves)
        for node in left.nodes.reversed() {
            root = SHA256.hash(prefix: CompactRange.nodePrefix, node, root)
        }
        return root
    }
}
