import AppStore
import Foundation
import LedgerTestSupport
import TestSupport
import Testing

@testable import LedgerStore

/// `TreeProver` over every engine that keeps whole logs.
@Suite("Proofs of the events of a log")
struct TreeProverTests {
    @Test("An event that the log does not hold is not proven", arguments: StoreEngine.all)
    func absent(_ engine: StoreEngine) async throws {
        try await engine.withLog { log in
            _ = try await log.append(Sample.events(0..<3))
            let prover = TreeProver(log)
            let event = try #require(try await log.event(at: 2)?.event)
            #expect(try await prover.proof(of: event)?.isValid == true)
            for position: Int64 in [-1, 0, 1, 3, 4, .max] {
                let moved = RecordedEvent(
                    position: position, key: event.key, attributes: event.attributes,
                    receivedAt: event.receivedAt, receivedAtClaimed: event.receivedAtClaimed,
                    identity: event.identity, payloadHash: event.payloadHash,
                    evidenceHash: event.evidenceHash)
                #expect(try await prover.proof(of: moved) == nil, "\(position)")
            }
            let damaged = RecordedEvent(
                position: 2, key: event.key, attributes: event.attributes,
                receivedAt: event.receivedAt, receivedAtClaimed: event.receivedAtClaimed,
                identity: event.identity, payloadHash: event.payloadHash,
                evidenceHash: event.evidenceHash, leafHash: event.leafHash, isDamaged: true)
            #expect(try await prover.proof(of: damaged) == nil)
        }
    }

    @Test("Leaf hashes come in order, up to the end", arguments: StoreEngine.all)
    func leaves(_ engine: StoreEngine) async throws {
        try await engine.withLog { log in
            _ = try await log.append(Sample.events(0..<5))
            let all = try await log.allEvents().map(\.leafHash)
            #expect(try await log.leafHashes(after: 0, through: 5) == all)
            #expect(try await log.leafHashes(after: 1, through: 3) == Array(all[1..<3]))
            #expect(try await log.leafHashes(after: 3, through: 9) == Array(all[3...]))
            #expect(try await log.leafHashes(after: 5, through: 9).isEmpty)
        }
    }

    @Test(
        "Events are proven while the log grows over the bounds of blocks",
        arguments: StoreEngine.all)
    func growing(_ engine: StoreEngine) async throws {
        try await engine.withLog { log in
            let prover = TreeProver(log)
            let width = Int(LogLimits.provenBlockCount)
            var count = 0
            for end in [1, width - 1, width, width + 1, 2 * width, 2 * width + 3] {
                while count < end {
                    let next = min(end, count + LogLimits.batchEventCount)
                    _ = try await log.append(Sample.crowd(count..<next))
                    count = next
                }
                let (head, leaves) = try await log.edge()
                #expect(head == (try await log.head()))
                #expect(leaves.count == end % width)
                let places = [1, 2, width - 1, width, width + 1, 2 * width, end]
                for position in Set(places) where position <= end && position > 0 {
                    let event = try #require(try await log.event(at: Int64(position))?.event)
                    let proof = try #require(try await prover.proof(of: event))
                    #expect(proof.isValid, "\(position) of \(end)")
                    #expect(proof.treeSize == Int64(end))
                    #expect(proof.root == (try await log.head().root))
                }
            }
        }
    }

    @Test("Stored roots are used, and a torn, old or foreign file changes no proof")
    func stored() async throws {
        let width = Int(LogLimits.provenBlockCount)
        try await StoreEngine.sqlite.withLog { log in
            let directory = try TemporaryDirectory()
            for first in stride(from: 0, to: 2 * width + 5, by: LogLimits.batchEventCount) {
                let end = min(2 * width + 5, first + LogLimits.batchEventCount)
                _ = try await log.append(Sample.crowd(first..<end))
            }
            let event = try #require(try await log.event(at: 3)?.event)
            let file = SubtreeRootFile(directory: directory.path)
            let made = TreeProver(log, directory: directory.path)
            try await made.prepare()
            let roots = file.roots()
            #expect(roots.count == 2)
            let expected = try await made.proof(of: event)
            #expect(expected?.isValid == true)
            let files: [[Digest]] = [[], [roots[0]], roots.reversed(), roots + roots]
            for damaged in files {
                file.write(damaged, after: 0)
                let prover = TreeProver(log, directory: directory.path)
                #expect(try await prover.proof(of: event) == expected)
                #expect(file.roots().prefix(2) == roots[...])
            }
            // A link leads to a file that is not this program's.
            let other = directory.file("other")
            let bytes = Data(repeating: 1, count: Digest.byteCount + 1)
            try bytes.write(to: URL(filePath: other))
            let path = directory.file(SubtreeRootFile.name)
            #expect(unlink(path) == 0 && symlink(other, path) == 0)
            let prover = TreeProver(log, directory: directory.path)
            #expect(try await prover.proof(of: event) == expected)
            #expect(try Data(contentsOf: URL(filePath: other)) == bytes)
            file.write(roots, after: 0)
            _ = try await log.append(Sample.crowd((2 * width + 5)..<(3 * width)))
            try await made.prepare()
            let grown = file.roots()
            #expect(grown.count == 3)
            try await TreeProver(log, directory: directory.path).prepare()
            #expect(file.roots() == grown)
        }
    }

    @Test("Each tree is proven to extend each earlier one, and no other")
    func consistency() async throws {
        try await StoreEngine.sqlite.withLog { log in
            _ = try await log.append(Sample.events(0..<13))
            let leaves = try await log.allEvents().map(\.leafHash)
            let prover = TreeProver(log)
            for to in 1...13 {
                for from in 1...to {
                    let proof = try #require(
                        try await prover.consistency(from: Int64(from), to: Int64(to)))
                    #expect(proof.isValid, "\(from) \(to)")
                    var tree = CompactRange()
                    for leaf in leaves.prefix(from) { tree.append(leaf) }
                    #expect(proof.fromRoot == tree.root)
                    for index in proof.path.indices {
                        var path = proof.path
                        path[index] = leaves[0]
                        let other = ConsistencyProof(
                            from: proof.from, to: proof.to, path: path, fromRoot: proof.fromRoot,
                            toRoot: proof.toRoot)
                        #expect(!other.isValid || proof.path[index] == leaves[0])
                    }
                }
            }
            for (from, to) in [(0, 1), (2, 1), (1, 14), (14, 14), (-1, 1)] as [(Int64, Int64)] {
                #expect(try await prover.consistency(from: from, to: to) == nil)
            }
        }
    }
}
