public import AppStore

/// The payload and digest computed while verifying a compact JWS, for callers that store it.
/// Created only by `JWSVerifier`, after the signature is verified.
public struct SignedBytes: Sendable {
    /// The decoded payload, byte for byte as signed.
    public let payload: [UInt8]
    /// SHA-256 of the whole JWS as received: all three segments and the dots between them.
    public let digest: Digest
}
