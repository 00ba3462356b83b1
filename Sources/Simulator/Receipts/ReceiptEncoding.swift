/// How a receipt is encoded and signed. The default matches Apple's current practice.
public struct ReceiptEncoding: Sendable, Hashable {
    /// The digest that is signed: SHA256, or SHA1 as until 2023; genuine receipts have no other.
    public var digest = "SHA256"
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
