public import AppStore

/// The header segment of a JWS, still base64url: about 4.4 KB of certificates, the same in nearly
/// all evidence and therefore stored once.
public struct EvidenceHeader: Hashable, Sendable {
    /// SHA-256 of `bytes`.
    public let hash: Digest
    public let bytes: [UInt8]

    package init(hash: Digest, bytes: [UInt8]) {
        self.hash = hash
        self.bytes = bytes
    }

    public static func == (left: EvidenceHeader, right: EvidenceHeader) -> Bool {
        left.hash == right.hash
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
