import AppStore
import TestSupport
import Testing

@testable import Signing

@Suite("Base64 and SHA-256")
struct BytesTests {
    @Test(
        "Text that is not canonical base64url is rejected",
        arguments: [
            "A", "AA=", "AA==", "AAA=", "AB", "AAB", "A A", "AAAA\n", "AA+A", "AA/A", "AA.A",
            "AAAAA", "é", "AAA\u{0}", "_x", "AAAAAAAAA", "AAAAAAA*", "*AAAAAAA", "AAAA====",
        ])
    func refusedURL(text: String) {
        #expect(Base64.url.decode(Array(text.utf8)) == nil)
    }

    @Test(
        "Text that is not canonical base64 is rejected",
        arguments: [
            "A", "AA", "AAA", "AAA==", "A===", "====", "AB==", "AAB=", "AA-A", "AA_A", "AA=A",
            "=AAA", "AAAA=", "AA==AA==", "AA= =", "AAAA\n",
        ])
    func refusedStandard(text: String) {
        #expect(Base64.standard.decode(Array(text.utf8)) == nil)
    }

    @Test(
        "The test vectors of RFC 4648 §10",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ])
    func vectors(plain: String, text: String) {
        let bytes = Array(plain.utf8)
        let unpadded = Array(text.utf8.filter { $0 != UInt8(ascii: "=") })
        #expect(Base64.standard.encode(bytes) == Array(text.utf8))
        #expect(Base64.standard.decode(Array(text.utf8)) == bytes)
        #expect(Base64.url.encode(bytes) == unpadded)
        #expect(Base64.url.decode(unpadded) == bytes)
    }

    @Test("Any bytes round-trip, at every length")
    func roundTrip() {
        var generator = SeededNumbers(seed: 300)
        for count in 0..<300 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            #expect(Base64.url.decode(Base64.url.encode(bytes)) == bytes)
            #expect(Base64.standard.decode(Base64.standard.encode(bytes)) == bytes)
        }
    }

    @Test("Every accepted text is the encoding of its bytes")
    func canonical() {
        let characters = Array("AQgwBCDxyz019-_+/=. ".utf8)
        for first in characters {
            for second in characters {
                for third in characters {
                    for text in [[first, second], [first, second, third]] {
                        guard let bytes = Base64.url.decode(text) else { continue }
                        #expect(Base64.url.encode(bytes) == text)
                    }
                }
            }
        }
    }

    @Test("A character outside the alphabet is found at every place")
    func places() {
        let text = Base64.url.encode([UInt8](repeating: 0xA5, count: 40))
        for index in text.indices {
            for wrong: UInt8 in [0x00, 0x2B, 0x2E, 0x3D, 0x7F, 0x80, 0xFF] {
                var changed = text
                changed[index] = wrong
                #expect(Base64.url.decode(changed) == nil)
            }
        }
    }

    @Test(
        "The test vectors of FIPS 180-4",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ])
    func digests(text: String, hexadecimal: String) {
        #expect(SHA256.hash(Array(text.utf8)).hexadecimal == hexadecimal)
    }

    @Test("Pieces, incremental updates and nodes give the digest of the whole")
    func pieces() {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let whole = SHA256.hash(bytes)
        #expect(SHA256.hash(pieces: [Array(bytes[..<13]), [], Array(bytes[13...])]) == whole)
        var hasher = SHA256Hasher()
        for byte in bytes { hasher.update(byte) }
        var copy = hasher
        #expect(hasher.finish() == whole)
        copy.update(1)
        #expect(copy.finish() == SHA256.hash(bytes + [1]))
        #expect(hasher.finish() == whole)
        let node = SHA256.hash(prefix: 1, whole, whole)
        #expect(node == SHA256.hash([1] + whole.bytes + whole.bytes))
        var counter = SHA256Hasher()
        counter.update(bigEndian: 0x0102_0304_0506_0708)
        #expect(counter.finish() == SHA256.hash([1, 2, 3, 4, 5, 6, 7, 8]))
    }

    @Test("Codes that differ in any single bit are not equal, whatever bits around it agree")
    func anyBit() throws {
        let code = SHA256.hash(Array("code".utf8))
        #expect(code.equalsInConstantTime(SHA256.hash(Array("code".utf8))))
        for bit in 0..<(Digest.byteCount * 8) {
            var bytes = code.bytes
            bytes[bit / 8] ^= 1 << (bit % 8)
            let other = try #require(Digest(bytes: bytes))
            #expect(!code.equalsInConstantTime(other) && !other.equalsInConstantTime(code))
        }
        // Differences that would cancel out in a sum or an exclusive or of the words.
        var bytes = code.bytes
        bytes[0] ^= 1
        bytes[8] ^= 1
        #expect(!code.equalsInConstantTime(try #require(Digest(bytes: bytes))))
    }
}
