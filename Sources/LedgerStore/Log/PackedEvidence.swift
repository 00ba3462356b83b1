package import AppStore
internal import Signing

/// Evidence as it is stored: header segments separate, payloads and signatures as bytes instead of
/// base64url, at about a twelfth of the size. `originalBytes()` reproduces every byte.
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
    /// How to read `body`. Raw values are stored in `evidence.form`.
    package enum Form: Int64, Sendable {
        /// The original bytes.
        case verbatim = 0
        /// One compact JWS.
        case token = 1
        /// The text of a pair.
        case pair = 2
    }

    package let form: Form
    package let headers: [EvidenceHeader]
    package let body: [UInt8]

    package init(form: Form, headers: [EvidenceHeader], body: [UInt8]) {
        self.form = form
        self.headers = headers
        self.body = body
    }

    /// Bytes this evidence adds to the file when its headers are already there.
    public var storedByteCount: Int { body.count }

    /// SHA-256 of each header segment of its signed parts.
    package var headerHashes: [Digest] { headers.map(\.hash) }

    /// The evidence exactly as it was received. Throws `fileCorrupt` when the stored bytes are
    /// damaged.
    public func originalBytes() throws(StoreError) -> [UInt8] {
        guard form != .verbatim else { return body }
        let bytes = body.withUnsafeBytes { buffer -> [UInt8]? in
            var assembly = EvidenceAssembly(
                buffer, headers: headers, output: EvidenceBytes(capacity: usualByteCount))
            return assembly.run() ? assembly.output.bytes : nil
        }
        guard let bytes else { throw PackedEvidence.unreadable }
        return bytes
    }

    /// Whether `originalBytes()` would return exactly these bytes, determined without assembling
    /// them.
    func gives(_ original: UnsafeRawBufferPointer) -> Bool {
        body.withUnsafeBytes { buffer in
            guard form != .verbatim else {
                var match = EvidenceMatch(original)
                return match.put(buffer) && match.isComplete
            }
            var assembly = EvidenceAssembly(
                buffer, headers: headers, output: EvidenceMatch(original))
            return assembly.run() && assembly.output.isComplete
        }
    }

    /// A capacity sufficient for usual evidence: Base64 twice, and a header three times, two of
    /// them encoded themselves.
    private var usualByteCount: Int {
        body.count * 2 + headers.reduce(0) { $0 + $1.bytes.count } * 11 / 3
    }

    package static let unreadable = StoreError(
        .fileCorrupt, reason: "Stored evidence cannot be reassembled.",
        remedy: "Run `subledger audit verify`, and restore the newest backup that verifies.")
}
