public import AppStore

/// What verifying a compact JWS found out about its bytes, for whoever keeps them: so that it need not
/// be computed twice. Made by nobody but `JWSVerifier`, once the signature holds.
public struct SignedBytes: Sendable {
    /// The decoded payload, byte by byte what was signed.
    public let payload: [UInt8]
    /// SHA-256 of the whole JWS as it was received: all three segments and the dots between them.
    public let digest: Digest
}
