internal import AppStore

/// The attributes covered by a signature instead of the content (RFC 5652 §5.3): they bind the
/// content by its digest.
enum SignedAttributes {
    /// 1.2.840.113549.1.9.3.
    private static let contentType: [UInt8] = [
        0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x03,
    ]
    /// 1.2.840.113549.1.9.4.
    private static let messageDigest: [UInt8] = [
        0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x04,
    ]

    /// Whether the attributes state that the content is data with this digest: both attributes,
    /// each once with one value (RFC 5652 §11.1, §11.2).
    static func name(_ digest: [UInt8], in set: [UInt8]) -> Bool {
        (try? check(digest, in: set)) ?? false
    }

    private static func check(_ digest: [UInt8], in set: [UInt8]) throws(BERError) -> Bool {
        let bytes = set.span
        var outer = BERCursor(0..<bytes.count)
        var attributes = BERCursor(try outer.require(BERTag.set, in: bytes).contents)
        try outer.requireEnd()
        var count = 0
        var types = 0
        var digests = 0
        while let attribute = try attributes.next(in: bytes) {
            count += 1
            guard count <= ReceiptEnvelope.maximumSignedAttributeCount,
                attribute.tag == BERTag.sequence
            else { return false }
            var parts = BERCursor(attribute.contents)
            let name = try parts.require(BERTag.objectIdentifier, in: bytes)
            let values = try parts.require(BERTag.set, in: bytes)
            try parts.requireEnd()
            switch BER.copy(name.contents, of: bytes) {
            case contentType:
                types += 1
                let value = try single(BERTag.objectIdentifier, of: values, in: bytes)
                guard value == ReceiptEnvelope.dataIdentifier else { return false }
            case messageDigest:
                digests += 1
                let value = try single(BERTag.octetString, of: values, in: bytes)
                guard value == digest else { return false }
            default: break
            }
        }
        return types == 1 && digests == 1
    }

    private static func single(
        _ tag: UInt8, of values: BERElement, in bytes: borrowing Span<UInt8>
    ) throws(BERError) -> [UInt8] {
        var cursor = BERCursor(values.contents)
        let value = try cursor.require(tag, in: bytes)
        try cursor.requireEnd()
        return BER.copy(value.contents, of: bytes)
    }
}
