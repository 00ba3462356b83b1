import AppStore
import Foundation
import Signing
import TestSupport
import Testing

@testable import LedgerStore

@Suite("Proofs that a leaf is in a tree")
struct InclusionProofTests {
    private static func path(
        of leaf: Int, in leaves: ArraySlice<Digest>
    ) -> [Digest] {
        guard leaves.count > 1 else { return [] }
        var half = 1
        while half * 2 < leaves.count { half *= 2 }
        let middle = leaves.startIndex + half
        return leaf < half
            ? path(of: leaf, in: leaves[..<middle]) + [root(leaves[middle...])]
            : path(of: leaf - half, in: leaves[middle...]) + [root(leaves[..<middle])]
    }

    private static func root(_ leaves: ArraySlice<Digest>) -> Digest {
        var tree = CompactRange()
        for leaf in leaves { tree.append(leaf) }
        return tree.root
    }

    private static let leaves = (0..<34).map { SHA256.hash([0x00, UInt8($0)]) }

    private static func proof(_ leaf: Int, _ size: Int) -> InclusionProof {
        InclusionProof(
            leafHash: leaves[leaf], leafIndex: Int64(leaf), treeSize: Int64(size),
            path: path(of: leaf, in: leaves[..<size]), root: root(leaves[..<size]))
    }

    @Test("A proof of another leaf, place, size, path or root is invalid")
    func invalid() {
        let proof = InclusionProofTests.proof(5, 13)
        #expect(proof.isValid)
        func altered(
            leafHash: Digest? = nil, leafIndex: Int64? = nil, treeSize: Int64? = nil,
            path: [Digest]? = nil, root: Digest? = nil
        ) -> Bool {
            InclusionProof(
                leafHash: leafHash ?? proof.leafHash, leafIndex: leafIndex ?? proof.leafIndex,
                treeSize: treeSize ?? proof.treeSize, path: path ?? proof.path,
                root: root ?? proof.root
            ).isValid
        }
        #expect(altered())
        #expect(!altered(leafHash: InclusionProofTests.leaves[6]))
        for index: Int64 in [-1, 0, 4, 6, 13, .max] { #expect(!altered(leafIndex: index)) }
        for size: Int64 in [-1, 0, 5, 6, 33, .max] { #expect(!altered(treeSize: size)) }
        #expect(!altered(path: Array(proof.path.dropLast())))
        #expect(!altered(path: proof.path + [proof.root]))
        #expect(!altered(path: proof.path.reversed()))
        #expect(!altered(root: proof.leafHash))
    }

    @Test("Every leaf of every size up to 34 is proven, by the subtrees of the definition")
    func definition() {
        for size in 1...InclusionProofTests.leaves.count {
            for leaf in 0..<size {
                let proof = InclusionProofTests.proof(leaf, size)
                #expect(proof.isValid, "\(leaf) of \(size)")
                let siblings = InclusionProof.siblings(of: Int64(leaf), in: Int64(size)).map {
                    InclusionProofTests.root(
                        InclusionProofTests.leaves[Int($0.lowerBound)..<Int($0.upperBound)])
                }
                #expect(siblings == proof.path, "\(leaf) of \(size)")
            }
        }
    }

    /// The published cases of a kind of proof, by file.
    private static func cases(_ kind: String) throws -> [(name: String, value: JSONValue)] {
        let folder = Fixtures.folder.appending(path: "merkle/\(kind)")
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".json") }
            .map { ($0, try JSONValue.parse(try Fixtures.bytes("merkle/\(kind)/\($0)"))) }
    }

    private static func digest(_ value: JSONValue?) -> Digest? {
        Base64.standard.decode(Array((value?.string ?? "").utf8)).flatMap {
            Digest(bytes: $0[...])
        }
    }

    @Test("Published proofs, good and bad, are judged as published", Fixtures.condition)
    func published() throws {
        var counts = (good: 0, bad: 0)
        for (name, value) in try Self.cases("inclusion") {
            let path = (value["proof"]?.array ?? []).map { Self.digest($0) }
            var isValid = false
            if let leaf = Self.digest(value["leafHash"]), let root = Self.digest(value["root"]),
                let index = value["leafIdx"]?.int64, let size = value["treeSize"]?.int64,
                !path.contains(nil)
            {
                isValid =
                    InclusionProof(
                        leafHash: leaf, leafIndex: index, treeSize: size,
                        path: path.compactMap(\.self), root: root
                    ).isValid
            }
            #expect(isValid == (value["wantErr"]?.bool == false), "\(name)")
            if isValid { counts.good += 1 } else { counts.bad += 1 }
        }
        #expect(counts.good >= 5 && counts.bad >= 80)
    }

    @Test("So are published proofs that a tree extends another one", Fixtures.condition)
    func publishedConsistency() throws {
        var counts = (good: 0, bad: 0)
        for (name, value) in try Self.cases("consistency") {
            let path = (value["proof"]?.array ?? []).map { Self.digest($0) }
            // Some have texts in place of roots, which no proof here can have.
            guard let from = value["size1"]?.int64, let to = value["size2"]?.int64,
                let fromRoot = Self.digest(value["root1"]), let toRoot = Self.digest(value["root2"])
            else { continue }
            let isValid =
                !path.contains(nil)
                && ConsistencyProof(
                    from: from, to: to, path: path.compactMap(\.self), fromRoot: fromRoot,
                    toRoot: toRoot
                ).isValid
            #expect(isValid == (value["wantErr"]?.bool == false), "\(name)")
            if isValid { counts.good += 1 } else { counts.bad += 1 }
        }
        #expect(counts.good == 5 && counts.bad >= 70)
    }
}
