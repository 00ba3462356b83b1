internal import AppStore
internal import Ledger
internal import Signing

extension PackedEvidence {
    /// The expected hashes, computed from the bytes. Throws `fileCorrupt` when they cannot be
    /// reassembled.
    func computedHashes() throws(StoreError) -> (evidence: Digest, payload: Digest) {
        let original = try originalBytes()
        let whole = SHA256.hash(original)
        switch form {
        case .verbatim: return (whole, whole)
        case .token:
            guard let payload = PackedEvidence.payload(ofToken: original) else {
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
}
