internal import AppStore

extension CompactJWS {
    /// Signs the claims of a JWT (RFC 7519) for Apple: ES256, with the key's id in App Store
    /// Connect in the header. Throws `wrongCurve` for a key that is not on P-256.
    package static func signJWT(
        keyId: String, claims: [UInt8], key: PrivateKey
    ) throws(SigningError) -> String {
        let header = JSONWriter.object { json in
            json.member("alg", "ES256")
            json.member("kid", keyId)
            json.member("typ", "JWT")
        }
        let token = try sign(header: header, payload: claims, key: key)
        return String(decoding: token, as: UTF8.self)
    }

    /// Signs a payload and returns the compact form, with a header given as JSON bytes.
    package static func sign(
        header: [UInt8], payload: [UInt8], key: PrivateKey
    ) throws(SigningError) -> [UInt8] {
        try sign(headerSegment: Base64.url.encode(header), payload: payload, key: key)
    }

    /// Signs a payload with an existing header segment.
    package static func sign(
        headerSegment: [UInt8], payload: [UInt8], key: PrivateKey
    ) throws(SigningError) -> [UInt8] {
        let input = signingInput(headerSegment: headerSegment, payload: payload)
        let signature = try key.signES256(input)
        var result = input
        result.append(UInt8(ascii: "."))
        result.append(contentsOf: Base64.url.encode(signature))
        return result
    }
}
