internal import AppStore
public import Signing
internal import Synchronization

/// Converts evidence to its stored form. Safe to share and to call from many threads at once:
/// packing is pure, and the cache of recent headers only saves hashing them again.
public final class EvidencePacker: Sendable {
    private let remembered = Mutex<[PackedHeader]>([])

    /// A header and its properties, computed when it was first seen.
    struct PackedHeader: Sendable {
        let header: EvidenceHeader
        /// Whether it is canonical base64url, and so needs no escaping in a JSON string.
        let isBase64URL: Bool
    }

    public init() {}

    /// Headers remembered, at most `LogLimits.rememberedHeaderCount`.
    var rememberedCount: Int { remembered.withLock { $0.count } }

    /// Packs and hashes, and verifies that the packed form reproduces every byte. Irregular
    /// evidence is stored verbatim, never rejected.
    ///
    /// Throws `evidenceTooLarge`, or `evidenceMalformed` for an invalid pair.
    ///
    /// - `signed`: the result of verifying this very JWS; nil where it was not verified, or
    ///   is no JWS.
    public func pack(
        _ evidence: Evidence, signed: SignedBytes? = nil
    ) throws(StoreError) -> PreparedEvidence {
        let original = try evidence.bytes()
        guard original.count <= LogLimits.evidenceByteCount else {
            throw StoreError(
                .evidenceTooLarge,
                reason: "Evidence may have at most \(LogLimits.evidenceByteCount) bytes.",
                remedy: "Nothing Apple signs is near this size; check the source.")
        }
        let evidenceHash = signed?.digest ?? SHA256.hash(original)
        assert(evidenceHash == SHA256.hash(original), "The evidence differs from the signed bytes.")
        let (packed, payloadHash) = packedForm(
            of: evidence, original, evidenceHash, decoded: signed?.payload)
        return PreparedEvidence(
            packed: packed, evidenceHash: evidenceHash, payloadHash: payloadHash,
            byteCount: original.count)
    }

    /// The form, and the hash of the signed payload; for verbatim evidence, of all its bytes.
    ///
    /// - Parameter decoded: the payload, if already decoded.
    private func packedForm(
        of evidence: Evidence, _ original: [UInt8], _ evidenceHash: Digest, decoded: [UInt8]?
    ) -> (PackedEvidence, Digest) {
        // A notification packs to a twelfth, a single transaction to a fifth.
        var writer = PackWriter(packer: self, capacity: original.count / 6)
        let form: PackedEvidence.Form
        let payloadHash: Digest?
        switch evidence {
        case .jws(let token):
            form = .token
            Varint.append(1, to: &writer.body)
            let payload = token.withUnsafeBufferPointer {
                writer.append(token: $0, nesting: true, decoded: decoded)
            }
            payloadHash = payload.map { SHA256.hash($0) }
        case .pair(let transaction, let renewal, let status):
            form = .pair
            payloadHash = pack(transaction, renewal, status, into: &writer)
        case .verbatim:
            form = .verbatim
            payloadHash = nil
        }
        let verbatim = PackedEvidence(form: .verbatim, headers: [], body: original)
        guard let payloadHash else { return (verbatim, evidenceHash) }
        let packed = PackedEvidence(form: form, headers: writer.headers, body: writer.body)
        let isExact = (try? packed.originalBytes()) == original
        return isExact ? (packed, payloadHash) : (verbatim, evidenceHash)
    }

    private func pack(
        _ transaction: [UInt8], _ renewal: [UInt8], _ status: Int64?,
        into writer: inout PackWriter
    ) -> Digest? {
        Varint.append(5, to: &writer.body)
        writer.append(text: PairText.start)
        let first = transaction.withUnsafeBufferPointer { writer.append(token: $0, nesting: false) }
        writer.append(text: PairText.middle)
        let second = renewal.withUnsafeBufferPointer { writer.append(token: $0, nesting: false) }
        writer.append(text: PairText.end(status: status))
        guard let first, let second else { return nil }
        let digits = status.map { Array(String($0).utf8) } ?? []
        return SHA256.hash(pieces: [first, second, digits])
    }

    /// The header with its hash, which is cached for recent headers.
    func header(_ bytes: UnsafeBufferPointer<UInt8>) -> PackedHeader {
        let known = remembered.withLock { $0 }
        let seen = known.first {
            $0.header.bytes.withUnsafeBufferPointer { $0.isEqual(to: bytes) }
        }
        if let seen { return seen }
        let new = PackedHeader(
            header: EvidenceHeader(hash: SHA256.hash(bytes), bytes: Array(bytes)),
            isBase64URL: Base64.url.decode(bytes) != nil)
        remembered.withLock { headers in
            if headers.count >= LogLimits.rememberedHeaderCount { headers.removeLast() }
            headers.insert(new, at: 0)
        }
        return new
    }
}
