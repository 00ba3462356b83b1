package import AppStore
public import Ledger
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

    /// Bytes this evidence adds to the file when its headers are already there.
    public var storedByteCount: Int { body.count }

    /// SHA-256 of each header segment of its signed parts.
    package var headerHashes: [Digest] { headers.map(\.hash) }

    /// The evidence exactly as it was received. Throws `fileCorrupt` when the stored bytes are
    /// damaged.
    public func originalBytes() throws(StoreError) -> [UInt8] {
        guard form != .verbatim else { return body }
        let bytes = body.withUnsafeBytes { buffer -> [UInt8]? in
            var assembly = EvidenceAssembly(buffer, headers: headers)
            return assembly.bytes(reserving: usualByteCount)
        }
        guard let bytes else { throw PackedEvidence.unreadable }
        return bytes
    }

    /// A capacity sufficient for usual evidence: Base64 twice, and a header three times, two of
    /// them encoded themselves.
    private var usualByteCount: Int {
        body.count * 2 + headers.reduce(0) { $0 + $1.bytes.count } * 11 / 3
    }

    package static let unreadable = StoreError(
        .fileCorrupt, reason: "Stored evidence cannot be reassembled.",
        remedy: "Run `subledger audit verify`, and restore the newest backup that verifies.")

    /// The expected hashes, computed from the bytes. Throws `fileCorrupt` when they cannot be
    /// reassembled, or `payloads(of:)` cannot read them.
    func computedHashes() throws(StoreError) -> (evidence: Digest, payload: Digest) {
        let original = try originalBytes()
        let whole = SHA256.hash(original)
        switch form {
        case .verbatim: return (whole, whole)
        case .token:
            guard let payload = PackedEvidence.payload(ofToken: original), tokenPayloads() != nil
            else {
                throw PackedEvidence.unreadable
            }
            return (whole, SHA256.hash(payload))
        case .pair:
            let payloads = try payloads(of: .renewalPair)
            let digits = payloads.status.map { Array(String($0).utf8) } ?? []
            let pieces = [payloads.transaction ?? [], payloads.renewal ?? [], digits]
            return (whole, SHA256.hash(pieces: pieces))
        }
    }

    /// The decoded payloads, without re-encoding base64url where the evidence was packed.
    ///
    /// What they state depends on the original bytes alone, not on how these are packed. Throws
    /// `fileCorrupt` when the stored bytes are damaged. Evidence that no JWS reader would accept is
    /// returned whole in `outer`.
    public func payloads(of kind: EventKind) throws(StoreError) -> EvidencePayloads {
        let payloads: EvidencePayloads?
        switch form {
        case .verbatim: payloads = verbatimPayloads(of: kind)
        case .token: payloads = tokenPayloads()
        case .pair:
            payloads = body.withUnsafeBytes { buffer in
                var unpacker = EvidenceUnpacker(buffer, headers: headers)
                return unpacker.pairPayloads()
            }
        }
        guard let payloads else { throw PackedEvidence.unreadable }
        return payloads
    }

    private func tokenPayloads() -> EvidencePayloads? {
        body.withUnsafeBytes { buffer in
            var unpacker = EvidenceUnpacker(buffer, headers: headers)
            return unpacker.tokenPayloads()
        }
    }

    private func verbatimPayloads(of kind: EventKind) -> EvidencePayloads {
        var payloads = EvidencePayloads()
        payloads.outer = body
        switch kind {
        case .notification, .transaction, .appTransaction:
            if let payload = PackedEvidence.payload(ofToken: body) { payloads.outer = payload }
        case .renewalPair:
            guard let pair = try? JSONValue.parse(body) else { break }
            payloads.transaction = PackedEvidence.payload(of: .transaction, in: pair)
            payloads.renewal = PackedEvidence.payload(of: .renewal, in: pair)
            payloads.status = pair["status"]?.int64
        case .receipt, .verifyReceipt, .notificationV1, .command, .sweep, .erasure: break
        }
        return payloads
    }

    static func payload(of part: SignedField, in object: JSONValue?) -> [UInt8]? {
        guard let token = object?["\(part.key)"]?.string else { return nil }
        return payload(ofToken: Array(token.utf8))
    }

    /// The decoded payload of a compact JWS; nil when it is none.
    package static func payload(ofToken token: [UInt8]) -> [UInt8]? {
        token.withUnsafeBufferPointer { buffer in
            TokenSegments(buffer).flatMap { Base64.url.decode($0.payload) }
        }
    }
}
