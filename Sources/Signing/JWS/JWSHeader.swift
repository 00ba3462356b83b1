internal import AppStore

/// The protected header of an App Store JWS (JWSDecodedHeader; RFC 7515 §4.1), parsed strictly and
/// not verified.
struct JWSHeader {
    static let algorithm = "ES256"

    /// `x5c` as received, base64 not yet decoded; nil if missing or not an array of strings.
    private(set) var certificates: [String]?
    private(set) var algorithm: String?
    private var hasCriticalNames = false

    /// Parses a header segment.
    ///
    /// Throws `malformedJWS` unless it is canonical base64url of one JSON object without duplicate
    /// keys, and for `crit`, whose extensions would have to be understood (RFC 7515 §4.1.11);
    /// `unsupportedAlgorithm` for any `alg` but ES256, including `none`.
    init(_ segments: JWSSegments) throws(VerificationError) {
        let bytes = try segments.decoded(segments.header, "header")
        do throws(JSONError) {
            try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
                try read(buffer)
            }
        } catch {
            throw segments.malformed("The header is not a JSON object of the required form.")
        }
        guard !hasCriticalNames else {
            throw segments.malformed("The header requires unsupported extensions (crit).")
        }
        guard algorithm == JWSHeader.algorithm else {
            throw VerificationError(
                .unsupportedAlgorithm, part: segments.part,
                reason: "Only \(JWSHeader.algorithm) signatures are accepted.")
        }
    }

    private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        var cursor = JSONCursor(bytes)
        var object = try cursor.beginObject()
        while let key = try cursor.nextKey(&object) {
            switch key {
            // A value that is not a string is not an algorithm.
            case "alg": algorithm = try cursor.readValue().string
            case "x5c": certificates = JWSHeader.strings(try cursor.readValue())
            case "crit":
                hasCriticalNames = true
                _ = try cursor.readValue()
            // `kid` and `typ` were sent in the past; other members are ignored.
            default: _ = try cursor.readValue()
            }
        }
        try cursor.finish()
    }

    private static func strings(_ value: JSONValue) -> [String]? {
        guard let elements = value.array else { return nil }
        let texts = elements.compactMap(\.string)
        return texts.count == elements.count ? texts : nil
    }

    /// One certificate of `x5c` as DER.
    ///
    /// Throws `invalidCertificate` unless it is canonical base64 of at most 8 KiB.
    static func certificate(
        _ text: String, part: EvidencePart
    ) throws(VerificationError) -> [UInt8] {
        let limit = CertificateChainPolicy.maximumCertificateByteCount
        let characters = Array(text.utf8)
        // Four characters for three bytes, rounded up: longer texts are rejected before decoding.
        guard characters.count <= (limit + 2) / 3 * 4,
            let der = Base64.standard.decode(characters), der.count <= limit
        else {
            throw VerificationError(
                .invalidCertificate, part: part,
                reason: "A certificate is not canonical base64 of at most \(limit) bytes.")
        }
        return der
    }
}
