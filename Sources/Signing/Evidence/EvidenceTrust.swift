public import AppStore

/// Trust anchor of evidence. Stored with every event, so that answers can state it.
public enum EvidenceTrust: Sendable, Hashable {
    /// A chain to Apple's pinned root: for a JWS Apple Root CA - G3, for a receipt Apple Inc. Root.
    case apple
    /// A chain to a root added by the operator; its SHA-256.
    case extraRoot(Digest)
    /// A certificate made by Xcode or a local test, which proves nothing.
    case local

    init(_ jws: VerifiedJWS) { self.init(root: jws.rootFingerprint) }

    /// - Parameter fingerprint: of the root of the chain; nil for local data, which has none.
    init(root fingerprint: Digest?) {
        self = fingerprint.map { TrustedRoots.isApple($0) ? .apple : .extraRoot($0) } ?? .local
    }

    /// SHA-256 of the root of a JWS's chain; nil for local data, which has none. For receipts see
    /// `VerifiedReceipt.rootFingerprint`.
    public var rootFingerprint: Digest? {
        switch self {
        case .apple: TrustedRoots.appleRootG3
        case .extraRoot(let fingerprint): fingerprint
        case .local: nil
        }
    }

    /// Whether a part of trust `part` may be nested in an envelope of this trust: Apple-signed
    /// evidence may contain only Apple-signed parts. Different added roots may be mixed.
    func admits(_ part: EvidenceTrust) -> Bool {
        switch (self, part) {
        case (.apple, .apple), (.extraRoot, .extraRoot), (.local, .local): true
        case (.apple, _), (.extraRoot, _), (.local, _): false
        }
    }
}
