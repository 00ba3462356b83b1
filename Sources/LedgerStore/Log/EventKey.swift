public import AppStore
public import Ledger
internal import Signing

/// An event's identity: SHA-256 over its kind and Apple's own ids, each preceded by its length, so
/// that no two lists of ids share a key. It never covers anything that depends on the delivery.
public enum EventKey {
    /// The key of an event of `kind` with these ids, in the order of `Log.md` §2. An absent id
    /// is nil, which differs from an empty one.
    public static func make(_ kind: EventKind, _ ids: [String?]) -> Digest {
        var hasher = SHA256Hasher()
        for id in [kind.rawValue] + ids {
            guard let id else {
                hasher.update(bigEndian: UInt64.max)
                continue
            }
            hasher.update(bigEndian: UInt64(id.utf8.count))
            hasher.update(Array(id.utf8))
        }
        return hasher.finish()
    }

    /// The id of an erasure that was ordered under a client's key, which may name the person and is
    /// not stored.
    public static func erasureId(orderedUnder key: String) -> String {
        make(.erasure, [key]).hexadecimal
    }

    /// The digest by which an erased chain is recognised: that of an event of the kind `erasure`
    /// with bundle id and originalTransactionId.
    fileprivate static func erased(_ chain: ChainId) -> Digest {
        make(.erasure, [chain.bundleId.rawValue, chain.originalTransactionId.rawValue])
    }

    /// The key of an event whose identity already belongs to an event with other claims:
    /// SHA-256(identity ‖ SHA-256(payload)).
    package static func conflict(identity: Digest, payloadHash: Digest) -> Digest {
        var hasher = SHA256Hasher()
        hasher.update(identity)
        hasher.update(payloadHash)
        return hasher.finish()
    }
}

extension ErasedChain {
    /// The chain as an erasure names it (`Erasure.md`).
    public init(_ chain: ChainId) {
        self.init(bundleId: chain.bundleId, digest: EventKey.erased(chain))
    }
}
