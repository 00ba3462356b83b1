import AppStore
import Ledger
import Signing
import Testing

@testable import LedgerStore

@Suite("The Merkle tree")
struct LogTreeTests {
    /// The tree computed by its definition (RFC 6962 §2.1), to check the compact range.
    static func root(_ leaves: ArraySlice<Digest>) -> Digest {
        guard leaves.count > 1 else {
            return leaves.first ?? SHA256.hash([])
        }
        var split = 1
        while split * 2 < leaves.count { split *= 2 }
        let middle = leaves.startIndex + split
        return SHA256.hash(prefix: 0x01, root(leaves[..<middle]), root(leaves[middle...]))
    }

    @Test("The root matches the definition for every size up to 130")
    func definition() {
        var range = CompactRange()
        var leaves: [Digest] = []
        for size in 0...130 {
            #expect(range.root == LogTreeTests.root(leaves[...]), "size \(size)")
            #expect(range.size == Int64(size))
            #expect(range.nodes.count == size.nonzeroBitCount)
            let leaf = SHA256.hash([0x00, UInt8(size)])
            leaves.append(leaf)
            range.append(leaf)
        }
    }

    /// Inputs and roots published with Certificate Transparency's reference implementation.
    static let published: [(leaf: [UInt8], root: String)] = [
        ([], "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
        ([0x00], "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
        ([0x10], "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"),
        ([0x20, 0x21], "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"),
        ([0x30, 0x31], "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4"),
        (Array(0x40...0x43), "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef"),
        (Array(0x50...0x57), "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"),
        (Array(0x60...0x6F), "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"),
    ]

    @Test("The published roots are reproduced")
    func vectors() {
        var range = CompactRange()
        for (leaf, root) in LogTreeTests.published {
            range.append(SHA256.hash([0x00] + leaf))
            #expect(range.root.hexadecimal == root)
        }
    }

    @Test("A compact range decodes only with its own size")
    func serialised() throws {
        var range = CompactRange()
        for size in 0..<70 {
            let bytes = range.bytes
            #expect(CompactRange(size: Int64(size), bytes: bytes) == range)
            #expect(CompactRange(size: Int64(size), bytes: bytes + [0]) == nil)
            #expect(CompactRange(size: -1, bytes: bytes) == nil)
            range.append(SHA256.hash([UInt8(size)]))
        }
        #expect(CompactRange(size: 3, bytes: range.bytes) == nil)
    }

    @Test("The leaf encoding is the documented one")
    func leafEncoding() throws {
        let key = SHA256.hash([1])
        let evidence = SHA256.hash([2])
        let payload = SHA256.hash([3])
        let attributes = EventAttributes(
            kind: .sweep, source: .operator, trust: .operator, bundleId: BundleId("b"))
        var data: [UInt8] = [0x00]
        func field(_ bytes: [UInt8]?) {
            guard let bytes else { return data.append(contentsOf: [255, 255, 255, 255]) }
            data.append(contentsOf: [0, 0, 0, UInt8(bytes.count)] + bytes)
        }
        field([0, 0, 0, 0, 0, 0, 1, 2])
        field([255, 255, 255, 255, 255, 255, 255, 254])
        field(Array("sweep".utf8))
        field(key.bytes)
        field(evidence.bytes)
        field(Array("operator".utf8))
        field(Array("operator".utf8))
        field([1])
        field(payload.bytes)
        field(Array("b".utf8))
        for _ in 0..<7 { field(nil) }
        let event = RecordedEvent(
            position: 258, key: key, attributes: attributes,
            receivedAt: Timestamp(milliseconds: -2), receivedAtClaimed: true, identity: nil,
            payloadHash: payload, evidenceHash: evidence)
        #expect(event.leafHash == SHA256.hash(data))
    }
}
