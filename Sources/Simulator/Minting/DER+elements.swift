internal import COpenSSL
package import Signing

/// The elements of certificate extensions and receipts.
extension DER {
    /// NULL (X.690 §8.8).
    package static let null: [UInt8] = [0x05, 0x00]
    /// TRUE, encoded as 255 in DER (X.690 §11.1).
    package static let booleanTrue: [UInt8] = [0x01, 0x01, 0xFF]

    /// A sequence of encoded elements (X.690 §8.9).
    package static func sequence(_ elements: [[UInt8]]) -> [UInt8] {
        element(0x30, elements.flatMap { $0 })
    }

    /// Bytes as an octet string (X.690 §8.7).
    package static func octetString(_ bytes: [UInt8]) -> [UInt8] { element(0x04, bytes) }

    /// An integer in the fewest octets (X.690 §8.3).
    package static func integer(_ value: Int64) -> [UInt8] {
        let octets = withUnsafeBytes(of: value.bigEndian) { Array($0) }
        let redundant = octets.indices.dropLast().prefix { index in
            // An octet that only repeats the sign bit of the next one.
            octets[index] == (octets[index + 1] & 0x80 == 0 ? 0x00 : 0xFF)
        }
        return element(0x02, Array(octets.dropFirst(redundant.count)))
    }

    /// A set of encoded elements, in the order given (X.690 §8.12).
    package static func set(_ elements: [[UInt8]]) -> [UInt8] {
        element(0x31, elements.flatMap { $0 })
    }

    /// A bit string of the named bits of one byte, highest bit first, without trailing zeros (X.690
    /// §11.2.2).
    package static func namedBits(_ bits: UInt8) -> [UInt8] {
        bits == 0
            ? [0x03, 0x01, 0x00] : [0x03, 0x02, UInt8(bits.trailingZeroBitCount), bits]
    }

    /// ASCII only.
    package static func ia5String(_ text: String) -> [UInt8] { element(0x16, Array(text.utf8)) }

    /// Text as a UTF8String (X.690 §8.23).
    package static func utf8String(_ text: String) -> [UInt8] { element(0x0C, Array(text.utf8)) }

    /// A dotted object identifier; empty for invalid text.
    package static func objectIdentifier(_ dotted: String) -> [UInt8] {
        ErrorQueue.contained {
            guard let object = OBJ_txt2obj(dotted, 1) else { return [] }
            defer { ASN1_OBJECT_free(object) }
            return DER.encoded { i2d_ASN1_OBJECT(object, $0) }
        }
    }
}
