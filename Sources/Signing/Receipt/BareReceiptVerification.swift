package import AppStore

/// Baseline of receipt verification: one prepared RSA-2048 signature, one prepared digest, one
/// loaded key, and nothing else. `bench receipts` prints it next to the verifier's figure.
package struct BareReceiptVerification: Sendable {
    private let key: RSAVerificationKey
    private let signature: [UInt8]
    private let value: [UInt8]
    private let digest: ReceiptDigest

    /// Prepares the signature of a receipt that `verifier` accepts.
    ///
    /// Throws the verifier's errors.
    package init(
        _ receipt: [UInt8], verifier: ReceiptVerifier, receivedAt: Timestamp
    ) throws(VerificationError) {
        let verified = try verifier.verify(receipt, receivedAt: receivedAt)
        let envelope = try ReceiptEnvelope(parsing: verified.bytes)
        guard let key = verified.chain?.key else {
            throw VerificationError(.invalidChainLength, reason: "The bench needs a full chain.")
        }
        self.key = key
        signature = envelope.signature
        digest = envelope.digest
        value = digest.hash(envelope.signedAttributes ?? envelope.content)
    }

    /// Verifies `count` times and returns the number of valid results, which is `count`.
    package func run(count: Int) -> Int {
        var held = 0
        for _ in 0..<count where key.isValid(signature, over: value, by: digest) { held += 1 }
        return held
    }
}
