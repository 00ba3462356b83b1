/// How a receipt is encoded and signed. The default matches Apple's current practice.
public struct ReceiptEncoding: Sendable, Hashable {
    /// Signed over SHA-1, as until 2023.
    public var usesSHA1 = false
    /// Signed over SHA-512, which genuine receipts never are.
    public var usesSHA512 = false
    /// The signature covers attributes that name the content's digest.
    public var hasSignedAttributes = false
    /// Indefinite lengths and fragmented content, as Xcode writes.
    public var isIndefinite = false
    /// The signer is named by its key's identifier.
    public var usesKeyIdentifier = false
    /// Number of signers, all with the same name; genuine receipts have one.
    public var signerCount = 1
    /// The certificates included; nil: signer, intermediate, root.
    public var certificates: [[UInt8]]?

    /// Apple's current encoding.
    public init() {}
}
