public import AppStore

/// The verified certificates above a receipt's signature. Validity at a date is checked for each
/// use: one chain serves receipts of many years.
public struct ReceiptCertificateChain: Sendable {
    /// The time in which all three certificates are valid.
    public let window: ValidityWindow
    /// SHA-256 of the root the chain ends in.
    public let rootFingerprint: Digest
    package let key: RSAVerificationKey
}
