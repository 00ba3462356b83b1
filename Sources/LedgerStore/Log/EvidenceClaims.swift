package import AppStore
package import Ledger
internal import Signing

/// The claims of evidence, apart from spelling and signature: two deliveries with equal claims are
/// one event (`Log.md` §2). Headers and signatures are not claims, since Apple may sign again;
/// neither is the order of keys.
package enum EvidenceClaims {
    /// SHA-256 of a canonical form of all claims.
    package static func digest(_ evidence: PackedEvidence, kind: EventKind) throws(StoreError)
        -> Digest
    {
        let original = try evidence.originalBytes()
        switch kind {
        case .notification, .transaction, .appTransaction:
            guard let payload = PackedEvidence.payload(ofToken: original) else { break }
            return SHA256.hash(canonical(payload))
        case .notificationV1:
            // The seal depends on the secret at the time, and is not a claim.
            guard let members = (try? JSONValue.parse(original))?.object else { break }
            return SHA256.hash(
                JSONValue.object(members.filter { $0.key != "password" }).canonical())
        case .renewalPair, .receipt, .verifyReceipt, .command, .sweep, .erasure: break
        }
        return SHA256.hash(canonical(original))
    }

    /// The canonical JSON of `payload`, with signed strings replaced by their claims; `payload`
    /// itself when it is not JSON.
    private static func canonical(_ payload: [UInt8]) -> [UInt8] {
        guard let value = try? JSONValue.parse(payload) else { return payload }
        return opened(value).canonical()
    }

    /// Replaces every compact JWS with its payload. Depth is bounded by the JSON reader.
    private static func opened(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members):
            return .object(members.map { JSONMember(key: $0.key, value: opened($0.value)) })
        case .array(let elements): return .array(elements.map(opened))
        case .string(let text):
            guard text.hasPrefix("ey"),
                let payload = PackedEvidence.payload(ofToken: Array(text.utf8))
            else { return value }
            // An array distinguishes it from a payload that contains the object itself.
            return .array([(try? JSONValue.parse(payload)) ?? .string(text)])
        case .number, .bool, .null: return value
        }
    }
}
