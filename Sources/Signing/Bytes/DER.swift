/// The Distinguished Encoding Rules (X.690 §10).
package enum DER {
    /// Tag, length, contents, with the length in its only DER form (X.690 §10.1).
    package static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        let count = contents.count
        guard count >= 0x80 else { return [tag, UInt8(count)] + contents }
        let octets = withUnsafeBytes(of: UInt64(count).bigEndian) { Array($0.drop { $0 == 0 }) }
        return [tag, 0x80 | UInt8(octets.count)] + octets + contents
    }

    /// The OpenSSL object in `bytes`, read by its d2i function (d2i_X509(3)); the caller frees it.
    package static func decoded<Object>(
        _ bytes: [UInt8],
        _ decode: (UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int) -> Object?
    ) -> Object? {
        bytes.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            return decode(&next, buffer.count)
        }
    }

    /// The encoding of an OpenSSL object by its i2d function (d2i_X509(3)); empty if that fails.
    package static func encoded(
        _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) -> [UInt8] {
        let count = encode(nil)
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: Int(count)) { target, written in
            var next = target.baseAddress
            written = Int(max(0, encode(&next)))
        }
    }
}
