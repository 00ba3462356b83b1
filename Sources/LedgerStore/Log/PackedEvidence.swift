internal import Signing

/// Evidence as it is stored: header segments apart, payloads and signatures as bytes instead of
/// base64url, at about a twelfth of the size. `originalBytes()` gives back every byte.
///
/// Body of forms 1 and 2, all integers as `Varint`:
///
///     body    = count piece…
///     piece   = length × 2, bytes                  text as it is
///             | header × 2 + 1, payload, 64 bytes  a compact JWS; `header` indexes `headers`
///     payload = length × 2, bytes                  decoded payload
///             | count × 2 + 1, piece…              decoded payload with signed parts inside
///
/// In the file the body is preceded by the number of headers and their ids.
public struct PackedEvidence: Sendable {
    /// How `body` is to be read. Raw values are stored in `evidence.form`.
    enum Form: Int64, Sendable {
        /// The original bytes.
        case verbatim = 0
        /// One compact JWS.
        case token = 1
        /// The text of a pair.
        case pair = 2
    }

    let form: Form
    let headers: [EvidenceHeader]
    let body: [UInt8]

    /// Bytes this evidence adds to the file when its headers are already there.
    public var storedByteCount: Int { body.count }

    /// The evidence exactly as it was received. Throws `fileCorrupt` when what is stored makes no
    /// sense.
    public func originalBytes() throws(StoreError) -> [UInt8] {
        guard form != .verbatim else { return body }
        let bytes = body.withUnsafeBytes { buffer -> [UInt8]? in
            var unpacker = EvidenceUnpacker(buffer, headers: headers)
            return unpacker.unpack()
        }
        guard let bytes else { throw PackedEvidence.unreadable }
        return bytes
    }

    static let unreadable = StoreError(
        .fileCorrupt, reason: "Stored evidence cannot be put together again.",
        remedy: "Run `subledger audit verify`, and restore the newest backup that verifies.")
}
