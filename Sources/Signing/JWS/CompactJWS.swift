/// A JWS in compact form (RFC 7515 §7.1), taken apart and not yet believed.
///
/// Only canonical base64url is accepted, so the three parts give back exactly the bytes they came
/// from: the log stores the repeated header once and reassembles.
public struct CompactJWS: Sendable {
    /// Upper bound of one JWS, 256 KiB (`design.md` §6).
    public static let maximumByteCount = 262_144
    /// Length of an ES256 signature: r and s, 32 bytes each (RFC 7518 §3.4).
    public static let signatureByteCount = 64

    /// The header segment as it was sent: still base64url.
    public let headerSegment: [UInt8]
    /// The decoded payload, byte by byte what was signed.
    public let payload: [UInt8]
    /// The decoded signature: 64 bytes in anything that can verify.
    public let signature: [UInt8]

    /// Takes a compact JWS apart.
    ///
    /// Throws `payloadTooLarge` or `malformedJWS`.
    public init(
        parsing bytes: UnsafeBufferPointer<UInt8>, part: EvidencePart = .outer
    ) throws(VerificationError) {
        let segments = try JWSSegments(bytes, part: part)
        payload = try segments.decodePayload()
        signature = try segments.decodeSignature()
        headerSegment = Array(segments.header)
        guard Base64URL.decode(segments.header) != nil else {
            throw segments.malformed("The header is not canonical base64url.")
        }
    }

    /// Takes a compact JWS apart.
    ///
    /// Throws `payloadTooLarge` or `malformedJWS`.
    public init(
        parsing bytes: [UInt8], part: EvidencePart = .outer
    ) throws(VerificationError) {
        self = try bytes.withUnsafeBufferPointer { (buffer) throws(VerificationError) in
            try CompactJWS(parsing: buffer, part: part)
        }
    }

    /// The compact form: exactly the bytes `init(parsing:)` was given.
    public var bytes: [UInt8] {
        CompactJWS.assemble(headerSegment: headerSegment, payload: payload, signature: signature)
    }

    /// The compact form of parts kept apart.
    public static func assemble(
        headerSegment: [UInt8], payload: [UInt8], signature: [UInt8]
    ) -> [UInt8] {
        var result = signingInput(headerSegment: headerSegment, payload: payload)
        result.append(UInt8(ascii: "."))
        result.append(contentsOf: Base64URL.encode(signature))
        return result
    }

    /// What a signature covers: header segment, a dot, payload segment (RFC 7515 §5.1).
    public static func signingInput(headerSegment: [UInt8], payload: [UInt8]) -> [UInt8] {
        let text = Base64URL.encode(payload)
        var result: [UInt8] = []
        // Room for the dots and the signature segment, so that nothing is copied twice.
        result.reserveCapacity(headerSegment.count + text.count + 96)
        result.append(contentsOf: headerSegment)
        result.append(UInt8(ascii: "."))
        result.append(contentsOf: text)
        return result
    }
}
