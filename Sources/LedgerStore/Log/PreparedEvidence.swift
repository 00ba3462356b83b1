public import AppStore

/// Evidence ready to be appended: packed, hashed, and verified to reproduce its bytes. Created by
/// `EvidencePacker`, outside any transaction and on any thread.
public struct PreparedEvidence: Sendable {
    public let packed: PackedEvidence
    /// SHA-256 of the evidence as it was received.
    public let evidenceHash: Digest
    /// SHA-256 of the decoded payload; for a pair, of the transaction's payload, then the
    /// renewal's, then the status in decimal digits (nothing when absent); for anything else,
    /// including evidence that no JWS reader would accept, of its bytes. The digest that orders
    /// facts (`Lifecycle.md` §2 rule 1).
    public let payloadHash: Digest
    /// Bytes as received.
    public let byteCount: Int
}
