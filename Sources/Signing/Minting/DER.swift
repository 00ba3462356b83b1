internal import COpenSSL

/// The few DER encodings certificate extensions need (X.690 §8, §10).
package enum DER {
    /// NULL (X.690 §8.8).
    package static let null: [UInt8] = [0x05, 0x00]
    /// TRUE, which DER writes as 255 (X.690 §11.1).
    package static let booleanTrue: [UInt8] = [0x01, 0x01, 0xFF]

    /// Tag, length, contents; lengths up to 65,535.
    package static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        precondition(contents.count <= 0xFFFF, "a certificate extension is far smaller")
        let count = contents.count
        let length: [UInt8] =
            switch count {
            case 0..<0x80: [UInt8(count)]
            case 0x80..<0x100: [0x81, UInt8(count)]
            default: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
            }
        return [tag] + length + contents
    }

    /// A sequence of encoded elements (X.690 §8.9).
    package static func sequence(_ elements: [[UInt8]]) -> [UInt8] {
        element(0x30, elements.flatMap { $0 })
    }

    /// Bytes as an octet string (X.690 §8.7).
    package static func octetString(_ bytes: [UInt8]) -> [UInt8] { element(0x04, bytes) }

    /// A non-negative integer below 128.
    package static func smallInteger(_ value: UInt8) -> [UInt8] {
        precondition(value < 0x80, "larger integers are not needed")
        return [0x02, 0x01, value]
    }

    /// A bit string of named bits of one byte, highest bit first, trailing zeros left out
    /// (X.690 §11.2.2).
    package static func namedBits(_ bits: UInt8) -> [UInt8] {
        bits == 0
            ? [0x03, 0x01, 0x00] : [0x03, 0x02, UInt8(bits.trailingZeroBitCount), bits]
    }

    /// ASCII only.
    package static func ia5String(_ text: String) -> [UInt8] { element(0x16, Array(text.utf8)) }

    /// Text as a UTF8String (X.690 §8.23).
    package static func utf8String(_ text: String) -> [UInt8] { element(0x0C, Array(text.utf8)) }

    /// A dotted object identifier; empty for text that is none.
    package static func objectIdentifier(_ dotted: String) -> [UInt8] {
        ErrorQueue.contained {
            guard let object = OBJ_txt2obj(dotted, 1) else { return [] }
            defer { ASN1_OBJECT_free(object) }
            let count = i2d_ASN1_OBJECT(object, nil)
            guard count > 0 else { return [] }
            return [UInt8](unsafeUninitializedCapacity: Int(count)) { target, written in
                var next = target.baseAddress
                written = Int(max(0, i2d_ASN1_OBJECT(object, &next)))
            }
        }
    }
}
