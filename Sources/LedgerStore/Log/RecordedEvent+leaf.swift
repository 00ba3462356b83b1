package import AppStore
internal import Ledger
internal import Signing

/// What a leaf of the tree commits to, and its encoding.
///
/// The leaf data is these fields in this order, each preceded by its length as four big-endian
/// bytes: position (8 bytes, big-endian), received_at (8 bytes, big-endian two's complement), kind
/// (its name), key (32), evidence hash (32), source (its name), trust (its name), received_at
/// claimed (1 byte, 0 or 1), payload hash (32), bundle id, chain, notification type, subtype,
/// notification UUID, signed_at (8 bytes), identity (32), root fingerprint (32). A field that is
/// absent has the length 0xFFFFFFFF and no bytes. The leaf hash is SHA-256(0x00 ‖ leaf data)
/// (RFC 6962 §2.1).
///
/// It commits to the hash of the evidence, not to the evidence itself: proofs outlive an erasure.
extension RecordedEvent {
    /// The leaf data of the row: the leaf hash is SHA-256(0x00 ‖ leaf data).
    public var leafData: [UInt8] { Array(prefixedLeafData.dropFirst()) }

    /// The leaf data; nil for a tombstone, whose leaf commits to what was erased.
    public var knownLeafData: [UInt8]? { computedLeafHash() == leafHash ? leafData : nil }

    /// The leaf hash the row should have.
    package func computedLeafHash() -> Digest { SHA256.hash(prefixedLeafData) }

    private var prefixedLeafData: [UInt8] {
        var data = LeafData()
        data.append(position)
        data.append(receivedAt.milliseconds)
        data.append(attributes.kind.rawValue)
        data.append(key)
        data.append(evidenceHash)
        data.append(attributes.source.rawValue)
        data.append(attributes.trust.rawValue)
        data.append(receivedAtClaimed)
        data.append(payloadHash)
        data.append(attributes.bundleId.rawValue)
        data.append(attributes.chain?.rawValue)
        data.append(attributes.notificationType)
        data.append(attributes.subtype)
        data.append(attributes.notificationUUID?.rawValue)
        data.append(attributes.signedAt?.milliseconds)
        data.append(identity)
        data.append(attributes.rootFingerprint)
        return data.bytes
    }
}
