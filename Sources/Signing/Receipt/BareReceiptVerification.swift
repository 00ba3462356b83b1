package import AppStore

/// The limit receipts are measured against: one prepared RSA-2048 signature, one prepared digest, one
/// loaded key, and nothing else. For `bench receipts`, which prints it beside the real thing.
package struct BareReceiptVerification: Sendable {
    private let key: RSAVerificationKey
    private let signature: [UInt8]
    private let value: [UInt8]
    private let digest: ReceiptDigest

    /// Prepares the signature of a receipt that `verifier` believes.
    ///
    /// Throws what the verifier throws.
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

    /// Verifies `count` times; the number that held, which is `count`.
    package func run(count: Int) -> Int {
        var held = 0
        for _ in 0..<count where key.isValid(signature, over: value, by: digest) { held += 1 }
        return held
    }
}
