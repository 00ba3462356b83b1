/// A parsed, unverified JWS in compact form (RFC 7515 §7.1).
///
/// Only canonical base64url is accepted, so the three parts reproduce the original bytes exactly:
/// the log stores the repeated header once and reassembles.
public struct CompactJWS: Sendable {
    /// Upper bound of one JWS, 256 KiB (`Log.md` §6).
    public static let maximumByteCount = 262_144
    /// Length of an ES256 signature: r and s, 32 bytes each (RFC 7518 §3.4).
    public static let signatureByteCount = 64

    /// The header segment as received, in base64url.
    public let headerSegment: [UInt8]
    /// The decoded payload, byte for byte as signed.
    public let payload: [UInt8]
    /// The decoded signature: 64 bytes in any JWS that can be verified.
    public let signature: [UInt8]

    /// Parses a compact JWS.
    ///
    /// Throws `payloadTooLarge` or `malformedJWS`.
    public init(parsing bytes: [UInt8]) throws(VerificationError) {
        self = try bytes.withUnsafeBufferPointer { (buffer) throws(VerificationError) in
            try CompactJWS(JWSSegments(buffer, part: .outer))
        }
    }

    private init(_ segments: JWSSegments) throws(VerificationError) {
        payload = try segments.decoded(segments.payload, "payload")
        signature = try segments.decoded(segments.signature, "signature")
        headerSegment = Array(segments.header)
        _ = try segments.decoded(segments.header, "header")
    }

    /// The compact form, equal to the bytes given to `init(parsing:)`.
    public var bytes: [UInt8] {
        CompactJWS.assemble(headerSegment: headerSegment, payload: payload, signature: signature)
    }

    /// Whether the header does not present a chain of certificates: the signature, even if valid,
    /// is then that of Xcode or of a local test, and proves nothing.
    package static func isLocal(_ bytes: [UInt8]) -> Bool {
        let header = bytes.withUnsafeBufferPointer { buffer in
            try? JWSHeader(JWSSegments(buffer, part: .outer))
        }
        return header?.certificates?.count != CertificateChainPolicy.certificateCount
    }

    /// The compact form of separate parts.
    public static func assemble(
        headerSegment: [UInt8], payload: [UInt8], signature: [UInt8]
    ) -> [UInt8] {
        var result = signingInput(headerSegment: headerSegment, payload: payload)
        result.append(UInt8(ascii: "."))
        result.append(contentsOf: Base64.url.encode(signature))
        return result
    }

    /// The bytes covered by the signature: header segment, a dot, payload segment (RFC 7515 §5.1).
    public static func signingInput(headerSegment: [UInt8], payload: [UInt8]) -> [UInt8] {
        let text = Base64.url.encode(payload)
        var result: [UInt8] = []
        // Reserves room for the dots and the signature segment, to avoid a second copy.
        result.reserveCapacity(headerSegment.count + text.count + 96)
        result.append(contentsOf: headerSegment)
        result.append(UInt8(ascii: "."))
        result.append(contentsOf: text)
        return result
    }
}
