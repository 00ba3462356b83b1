import Foundation
@testable import LedgerStore
import Signing
import Testing


/// Bytes are put together in pieces: lengths around every bound of one.
@Suite("Evidence that is put together in pieces")
struct EvidenceAssemblyTests {
    /// What is encoded at once, and the longest length tried: three of them and some.
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
            #expect(!(other.withUnsafeBytes { packed.gives($0) }), "\(bytes.count) bytes")
        }
        #expect(bytes.withUnsafeBytes { packed.gives($0) })
    }

    @Test("A payload of any length but none comes back, and is no other one", arguments: 0..<3)
    func plain(rest: Int) throws {
        for length in Self.lengths where length > 0 && length % 3 == rest {
            try expectExact(Array(Sample.token(Self.text(length)).utf8), .token)
        }
    }

    @Test("A signed part comes back wherever it begins and however long it is", arguments: 0..<3)
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

    @Test("One byte that differs, wherever it stands, is seen")
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
            #expect(!(other.withUnsafeBytes { packed.gives($0) }), "byte \(place)")
        }
    }

    @Test("Evidence kept verbatim gives back itself alone")
    func verbatim() throws {
        for text in ["", "a", "no token"] { try expectVerbatim(Array(text.utf8)) }
    }

    private func expectVerbatim(_ bytes: [UInt8]) throws {
        let packed = PackedEvidence(form: .verbatim, headers: [], body: bytes)
        #expect(bytes.withUnsafeBytes { packed.gives($0) })
        #expect(!((bytes + [0]).withUnsafeBytes { packed.gives($0) }))
        if !bytes.isEmpty { #expect(!(bytes.dropLast().withUnsafeBytes { packed.gives($0) })) }
    }

    @Test("Base64 written into memory is what is returned as bytes, and as long as was told")
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
