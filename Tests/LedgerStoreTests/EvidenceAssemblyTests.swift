import LedgerTestSupport
import Signing
import Testing

@testable import LedgerStore

@Suite("Evidence assembled from its packed form")
struct EvidenceAssemblyTests {
    private static let lengths = Array(0...40)

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

    @Test("A body that assembles to more than the maximum of evidence is unreadable")
    func tooLong() throws {
        let name = [UInt8](repeating: UInt8(ascii: "a"), count: 65_536)
        let header = EvidenceHeader(hash: SHA256.hash(name), bytes: name)
        let signature = [UInt8](repeating: 0, count: CompactJWS.signatureByteCount)
        // A token without payload: the header, two full stops and the signature.
        let token: [UInt8] = [1, 0] + signature
        let encodedCount = (signature.count * 4 + 2) / 3
        let most = LogLimits.evidenceByteCount / (header.bytes.count + 2 + encodedCount)
        for (count, isReadable) in [(most, true), (most + 1, false)] {
            let tokens = Array(repeatElement(token, count: count).joined())
            let packed = PackedEvidence(
                form: .token, headers: [header], body: [UInt8(count)] + tokens)
            let bytes = try? packed.originalBytes()
            #expect((bytes != nil) == isReadable)
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
