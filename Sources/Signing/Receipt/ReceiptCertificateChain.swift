public import AppStore

/// The verified certificates above a receipt's signature. Validity at a date is checked for each
/// use: one chain serves receipts of many years.
public final class ReceiptCertificateChain: Sendable {
    /// The time in which all three certificates are valid.
    public let window: ValidityWindow
    /// SHA-256 of the root the chain ends in.
    public let rootFingerprint: Digest
    /// The signer's certificate as received.
    public let signer: [UInt8]
    /// The intermediate as received.
    public let intermediate: [UInt8]
    /// The root as received.
    public let root: [UInt8]
    let key: RSAVerificationKey

    init(
        window: ValidityWindow, rootFingerprint: Digest, signer: [UInt8], intermediate: [UInt8],
        root: [UInt8], key: RSAVerificationKey
    ) {
        self.window = window
        self.rootFingerprint = rootFingerprint
        self.signer = signer
        self.intermediate = intermediate
        self.root = root
        self.key = key
    }
}
