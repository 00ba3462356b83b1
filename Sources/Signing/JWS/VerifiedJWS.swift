public import AppStore

/// A payload with a valid signature and chain. Not yet checked: that the chain was valid at signing
/// (`requireValid`), and the app.
public struct VerifiedJWS: Sendable {
    /// The decoded payload and the digest of the JWS.
    public let signed: SignedBytes
    let origin: JWSOrigin
    let part: EvidencePart

    /// The decoded payload, byte for byte as signed.
    public var payload: [UInt8] { signed.payload }

    /// The chain, or nil for data signed by Xcode or a local test.
    public var chain: VerifiedCertificateChain? {
        guard case .chain(let chain) = origin else { return nil }
        return chain
    }

    /// The time in which all three certificates are valid; nil for local data.
    public var window: ValidityWindow? { chain?.window }

    /// SHA-256 of the root the chain ends in; nil for local data.
    public var rootFingerprint: Digest? { chain?.rootFingerprint }

    /// Whether the chain ends in Apple's own root.
    public var usesAppleRoot: Bool { rootFingerprint.map(TrustedRoots.isApple) ?? false }

    /// Whether Xcode or a local test signed it with a certificate of its own.
    public var isLocal: Bool { chain == nil }

    /// Throws `certificateNotValidAtSigning` unless every certificate was valid at `date`. Local
    /// data has no chain to check.
    public func requireValid(at date: Timestamp) throws(VerificationError) {
        guard let window, !window.contains(date) else { return }
        throw VerificationError(
            .certificateNotValidAtSigning, part: part,
            reason: "A certificate of the chain was not valid at the signing date.")
    }
}
