internal import AppStore
public import Signing
internal import Synchronization

/// Turns evidence into its stored form. Safe to share and to call from many threads at once: the
/// work is pure, and the recent headers it remembers only save hashing them again.
public final class EvidencePacker: Sendable {
    private let remembered = Mutex<[PackedHeader]>([])

    /// A header and what was found out about it when it was first seen.
    struct PackedHeader: Sendable {
        let header: EvidenceHeader
        /// Whether it is canonical base64url, and so can stand in a JSON string as it is.
        let isBase64URL: Bool
        /// Has seen the header.
        let begun: SHA256Hasher
    }

    public init() {}

    /// Headers remembered, at most `LogLimits.rememberedHeaderCount`.
    var rememberedCount: Int { remembered.withLock { $0.count } }

    /// Packs and hashes, and proves that the packed form gives back every byte. Whatever is
    /// irregular is stored verbatim, never refused.
    ///
    /// Throws `evidenceTooLarge`, or `evidenceMalformed` for a pair that is none.
    ///
    /// - Parameter signed: what verifying this very JWS found out about it; nil where it was not
    ///   verified, or is none.
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
        let evidenceHash = signed?.digest ?? original.withUnsafeBufferPointer { hash($0) }
        assert(evidenceHash == SHA256.hash(original), "These are other bytes than those signed.")
        let (packed, payloadHash) = packedForm(
            of: evidence, original, evidenceHash, decoded: signed?.payload)
        return PreparedEvidence(
            packed: packed, evidenceHash: evidenceHash, payloadHash: payloadHash,
            byteCount: original.count)
    }

    /// The form, and the hash of what was signed: of verbatim evidence that of all of it.
    ///
    /// - Parameter decoded: the payload, where it was decoded before.
    private func packedForm(
        of evidence: Evidence, _ original: [UInt8], _ evidenceHash: Digest, decoded: [UInt8]?
    ) -> (PackedEvidence, Digest) {
        // Of a notification a twelfth is left, of a transaction alone a fifth.
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
        let isExact = original.withUnsafeBytes { packed.gives($0) }
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

    /// The digest of evidence, which begins with a header that was seen before nearly always: what
    /// that one contributes need not be computed again.
    private func hash(_ evidence: UnsafeBufferPointer<UInt8>) -> Digest {
        let known = remembered.withLock { $0 }.first { packed in
            let count = packed.header.bytes.count
            return count <= evidence.count
                && packed.header.bytes.elementsEqualBytes(
                    UnsafeBufferPointer(rebasing: evidence[..<count]))
        }
        guard let known else { return SHA256.hash(evidence) }
        var hasher = known.begun
        hasher.update(UnsafeBufferPointer(rebasing: evidence[known.header.bytes.count...]))
        return hasher.finish()
    }

    /// The header with its hash, which is computed once for the headers seen lately.
    func header(_ bytes: UnsafeBufferPointer<UInt8>) -> PackedHeader {
        let known = remembered.withLock { $0 }
        let seen = known.first { $0.header.bytes.elementsEqualBytes(bytes) }
        if let seen { return seen }
        var begun = SHA256Hasher()
        begun.update(bytes)
        let new = PackedHeader(
            header: EvidenceHeader(hash: begun.finish(), bytes: Array(bytes)),
            isBase64URL: Base64URL.decode(bytes) != nil, begun: begun)
        remembered.withLock { headers in
            if headers.count >= LogLimits.rememberedHeaderCount { headers.removeLast() }
            headers.insert(new, at: 0)
        }
        return new
    }
}
