extension CompactJWS {
    /// Signs a payload and returns the compact form, with a header given as JSON bytes.
    package static func sign(
        header: [UInt8], payload: [UInt8], key: PrivateKey
    ) throws(SigningError) -> [UInt8] {
        try sign(headerSegment: Base64URL.encode(header), payload: payload, key: key)
    }

    /// Signs a payload with an existing header segment.
    package static func sign(
        headerSegment: [UInt8], payload: [UInt8], key: PrivateKey
    ) throws(SigningError) -> [UInt8] {
        let input = signingInput(headerSegment: headerSegment, payload: payload)
        let signature = try key.signES256(input)
        var result = input
        result.append(UInt8(ascii: "."))
        result.append(contentsOf: Base64URL.encode(signature))
        return result
    }
}
