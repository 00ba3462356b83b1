public import AppStore

/// On whose word evidence is believed. Kept with every event, so that answers can say so.
public enum EvidenceTrust: Sendable, Hashable {
    /// A chain to Apple's pinned root: of a JWS Apple Root CA - G3, of a receipt Apple Inc. Root.
    case apple
    /// A chain to a root the operator added; its SHA-256.
    case extraRoot(Digest)
    /// A certificate of Xcode's or a local test's own: nobody's word.
    case local

    init(_ jws: VerifiedJWS) {
        guard let fingerprint = jws.rootFingerprint else {
            self = .local
            return
        }
        self.init(root: fingerprint)
    }

    /// The word of whoever holds the root of this fingerprint.
    init(root fingerprint: Digest) {
        self = TrustedRoots.isApple(fingerprint) ? .apple : .extraRoot(fingerprint)
    }

    /// SHA-256 of the root a JWS's chain ends in; nil for local data, which has none. For receipts see
    /// `VerifiedReceipt.rootFingerprint`.
    public var rootFingerprint: Digest? {
        switch self {
        case .apple: TrustedRoots.appleRootG3
        case .extraRoot(let fingerprint): fingerprint
        case .local: nil
        }
    }

    /// Whether it is Apple's own word.
    public var usesAppleRoot: Bool { self == .apple }

    /// Whether a part of trust `part` may stand inside an envelope of this one: Apple's word may
    /// only be made of Apple's words. Two of the operator's roots may mix.
    func admits(_ part: EvidenceTrust) -> Bool {
        switch (self, part) {
        case (.apple, .apple), (.extraRoot, .extraRoot), (.local, .local): true
        case (.apple, _), (.extraRoot, _), (.local, _): false
        }
    }
}
