/// The three segments of a compact JWS as views into the caller's bytes, which must outlive it.
/// Needs no allocation; segments are decoded on demand.
struct JWSSegments {
    let header: UnsafeBufferPointer<UInt8>
    let payload: UnsafeBufferPointer<UInt8>
    let signature: UnsafeBufferPointer<UInt8>
    /// Header, dot and payload: the bytes covered by the signature.
    let signingInput: UnsafeBufferPointer<UInt8>
    /// The bytes after that: a dot and the signature.
    let rest: UnsafeBufferPointer<UInt8>
    let part: EvidencePart

    init(
        _ bytes: UnsafeBufferPointer<UInt8>, part: EvidencePart
    ) throws(VerificationError) {
        self.part = part
        guard bytes.count <= CompactJWS.maximumByteCount else {
            throw VerificationError(
                .payloadTooLarge, part: part,
                reason: "A signed part may have at most \(CompactJWS.maximumByteCount) bytes.")
        }
        let dot = UInt8(ascii: ".")
        // The signature is short and the header shorter than the payload, so search from both ends.
        // A further dot in the payload segment is not a base64url character.
        guard let first = bytes.firstPlace(of: dot),
            let last = bytes.lastIndex(of: dot), first != last
        else {
            throw VerificationError(
                .malformedJWS, part: part,
                reason: "A compact JWS has three segments separated by dots.")
        }
        header = UnsafeBufferPointer(rebasing: bytes[..<first])
        payload = UnsafeBufferPointer(rebasing: bytes[(first + 1)..<last])
        signature = UnsafeBufferPointer(rebasing: bytes[(last + 1)...])
        signingInput = UnsafeBufferPointer(rebasing: bytes[..<last])
        rest = UnsafeBufferPointer(rebasing: bytes[last...])
        guard !header.isEmpty, !payload.isEmpty else {
            throw malformed("The header and the payload must not be empty.")
        }
    }

    /// The bytes of one of the segments. Those of the signature have any length: an unsupported
    /// algorithm is reported as such.
    func decoded(
        _ segment: UnsafeBufferPointer<UInt8>, _ name: StaticString
    ) throws(VerificationError) -> [UInt8] {
        guard let bytes = Base64.url.decode(segment) else {
            throw malformed("The \(name) is not canonical base64url.")
        }
        return bytes
    }

    func malformed(_ reason: String) -> VerificationError {
        VerificationError(.malformedJWS, part: part, reason: reason)
    }
}
