internal import AppStore

/// Baseline of JWS verification: one encoded ES256 signature, one digest, one loaded key, and
/// nothing else. `bench verify` prints it next to the verifier's figure.
package struct BareVerification: Sendable {
    private let key: VerificationKey
    private let signature: ES256Signature
    private let digest: Digest

    /// Prepares the signature of a JWS that `verifier` accepts.
    ///
    /// Throws the verifier's errors.
    package init(_ jws: [UInt8], verifier: JWSVerifier) throws(VerificationError) {
        let verified = try verifier.verify(jws)
        let parts = try CompactJWS(parsing: jws)
        guard let key = verified.chain?.leafKey,
            let signature = ES256Signature(raw: parts.signature)
        else {
            throw VerificationError(.invalidChainLength, reason: "The bench needs a full chain.")
        }
        self.key = key
        self.signature = signature
        digest = SHA256.hash(
            CompactJWS.signingInput(headerSegment: parts.headerSegment, payload: parts.payload))
    }

    /// Verifies `count` times and returns the number of valid results, which is `count`.
    package func run(count: Int) -> Int {
        var held = 0
        for _ in 0..<count where key.isValid(signature, over: digest) { held += 1 }
        return held
    }
}
