import AppStore
import LedgerStore
import Signing
import Testing

/// The tree that tests of the transparency community share: eight leaves, their roots, proofs.
@Suite("Vectors of the transparency community")
struct TreeVectorTests {
    private static let leaves: [[UInt8]] = [
        [], [0x00], [0x10], [0x20, 0x21], [0x30, 0x31], [0x40, 0x41, 0x42, 0x43],
        [0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57], Array(0x60...0x6F),
    ]

    /// `LogTreeTests` compares the roots of the first leaves with the published ones.
    private static func root(_ count: Int) -> Digest {
        var tree = CompactRange()
        for leaf in leaves.prefix(count) { tree.append(SHA256.hash([0x00] + leaf)) }
        return tree.root
    }

    private static func digests(_ texts: [String]) throws -> [Digest] {
        try texts.map { try #require(Digest(hexadecimal: $0)) }
    }

    @Test("Inclusion of the first of eight leaves")
    func inclusion() throws {
        let path = try Self.digests([
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ])
        func proof(_ index: Int64, _ size: Int64) -> InclusionProof {
            InclusionProof(
                leafHash: SHA256.hash([0x00]), leafIndex: index, treeSize: size, path: path,
                root: Self.root(8))
        }
        #expect(proof(0, 8).isValid)
        #expect(!proof(1, 8).isValid && !proof(0, 9).isValid)
        #expect(!proof(-1, 8).isValid && !proof(8, 8).isValid)
    }

    @Test("Consistency of six leaves with eight")
    func consistency() throws {
        let path = try Self.digests([
            "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ])
        func proof(_ from: Int64, _ to: Int64) -> ConsistencyProof {
            ConsistencyProof(
                from: from, to: to, path: path, fromRoot: Self.root(6), toRoot: Self.root(8))
        }
        #expect(proof(6, 8).isValid)
        #expect(!proof(5, 8).isValid && !proof(6, 9).isValid && !proof(0, 8).isValid)
    }
}
