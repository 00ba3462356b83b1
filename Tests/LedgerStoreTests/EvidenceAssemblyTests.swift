import Foundation
import LedgerTestSupport
import Signing
import Testing

@testable import LedgerStore

/// Bytes are assembled in pieces: tests lengths around every piece boundary.
@Suite("Evidence assembled in pieces")
struct EvidenceAssemblyTests {
    /// Bytes encoded at once, and the longest length tested: three pieces and some bytes.
    private static let pieceByteCount = 240
    private static let lengths = Array(0...(3 * pieceByteCount + 4))

    private static func text(_ count: Int) -> String {
        String(String(repeating: "0123456789", count: count / 10 + 1).prefix(count))
    }

    private func expectExact(_ bytes: [UInt8], _ form: PackedEvidence.Form) throws {
        let packed = try Sample.packer.pack(.jws(bytes)).packed
        #expect(packed.form == form)
        let original = try packed.originalBytes()
        #expect(original == bytes, "\(bytes.count) bytes")
        for other in [bytes + [0], Array(bytes.dropLast()), []] {
            #expect(!(other.withUnsafeBytes { packed.reproduces($0) }), "\(bytes.count) bytes")
        }
        #expect(bytes.withUnsafeBytes { packed.reproduces($0) })
    }

    @Test("A payload of any non-zero length round-trips, and equals no other", arguments: 0..<3)
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

    @Test("A single differing byte is detected at any offset")
    func oneByte() throws {
        let part = Sample.token(Self.text(300))
        let payload =
            #"{"data":{"signedTransactionInfo":"\#(part)","signedRenewalInfo":"\#(part)"}}"#
        let bytes = Array(Sample.token(payload).utf8)
        let packed = try Sample.packer.pack(.jws(bytes)).packed
        #expect(packed.headers.count == 1)
        for place in bytes.indices {
            var other = bytes
            other[place] ^= 1
            #expect(!(other.withUnsafeBytes { packed.reproduces($0) }), "byte \(place)")
        }
    }

    @Test("Verbatim evidence matches only itself")
    func verbatim() throws {
        for text in ["", "a", "no token"] { try expectVerbatim(Array(text.utf8)) }
    }

    private func expectVerbatim(_ bytes: [UInt8]) throws {
        let packed = PackedEvidence(form: .verbatim, headers: [], body: bytes)
        #expect(bytes.withUnsafeBytes { packed.reproduces($0) })
        #expect(!((bytes + [0]).withUnsafeBytes { packed.reproduces($0) }))
        if !bytes.isEmpty { #expect(!(bytes.dropLast().withUnsafeBytes { packed.reproduces($0) })) }
    }

    @Test("Base64 written to memory equals the returned bytes and the predicted length")
    func intoMemory() {
        for length in Self.lengths {
            let bytes = Array(Self.text(length).utf8)
            let expected = Base64URL.encode(bytes)
            #expect(Base64URL.capacity(forByteCount: length) == expected.count)
            var memory = [UInt8](repeating: 0xAA, count: expected.count + 1)
            let count = memory.withUnsafeMutableBufferPointer { target in
                bytes.withUnsafeBytes { source in
                    target.baseAddress.map { Base64URL.encode(source, into: $0) }
                }
            }
            #expect(count == expected.count)
            #expect(memory == expected + [0xAA])
        }
    }
}
