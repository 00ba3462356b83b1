public import AppStore

/// A payload with a valid signature and chain. Not yet checked: that the chain was valid at signing
/// (`requireValid`), and the app.
public struct VerifiedJWS: Sendable {
    /// The decoded payload and the digest of the JWS.
    public let signed: SignedBytes
    /// The chain to a pinned root, or nil for data that Xcode or a local test signed with its own
    /// certificate, which proves nothing.
    public let chain: VerifiedCertificateChain?
    let part: EvidencePart

    /// The decoded payload, byte for byte as signed.
    public var payload: [UInt8] { signed.payload }

    /// The time in which all three certificates are valid; nil for local data.
    public var window: ValidityWindow? { chain?.window }

    /// SHA-256 of the root the chain ends in; nil for local data.
    public var rootFingerprint: Digest? { chain?.rootFingerprint }

    /// Whether it has no chain.
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
