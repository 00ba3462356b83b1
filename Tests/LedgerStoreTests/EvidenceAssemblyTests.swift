import LedgerTestSupport
import Testing

@testable import LedgerStore

@Suite("Evidence assembled from its packed form")
struct EvidenceAssemblyTests {
    private static let lengths = Array(0...100)

    private static func text(_ count: Int) -> String {
        String(String(repeating: "0123456789", count: count / 10 + 1).prefix(count))
    }

    private func expectExact(_ bytes: [UInt8], _ form: PackedEvidence.Form) throws {
        let packed = try Sample.packer.pack(.jws(bytes)).packed
        #expect(packed.form == form)
        let original = try packed.originalBytes()
        #expect(original == bytes, "\(bytes.count) bytes")
    }

    @Test("A payload of any non-zero length round-trips", arguments: 0..<3)
    func plain(rest: Int) throws {
        for length in Self.lengths where length > 0 && length % 3 == rest {
            try expectExact(Array(Sample.token(Self.text(length)).utf8), .token)
        }
    }

    @Test("A signed part round-trips at any offset and length", arguments: 0..<3)
    func nested(rest: Int) throws {
        for length in Self.lengths where length % 3 == rest {
            for (before, inside, after) in [(length, 5, 2), (7, length, 2), (7, 5, length)] {
                let payload = """
                    {"a":"\(Self.text(before))","data":{"signedTransactionInfo":\
                    "\(Sample.token(Self.text(inside)))"},"b":"\(Self.text(after))"}
                    """
                try expectExact(Array(Sample.token(payload).utf8), .token)
            }
        }
    }
}
