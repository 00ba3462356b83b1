/// How a receipt is written down and signed. The default is how Apple does it today.
public struct ReceiptWriting: Sendable, Hashable {
    /// Signed over SHA-1, as until 2023.
    public var usesSHA1 = false
    /// Signed over SHA-512, which no receipt is.
    public var usesSHA512 = false
    /// The signature covers attributes that name the content's digest.
    public var hasSignedAttributes = false
    /// Indefinite lengths and content in pieces, as Xcode writes.
    public var isIndefinite = false
    /// The signer is named by its key's identifier.
    public var usesKeyIdentifier = false
    /// Signers of the same name; genuine receipts have one.
    public var signerCount = 1
    /// The certificates sent along; nil: signer, intermediate, root.
    public var certificates: [[UInt8]]?

    /// How Apple writes today.
    public init() {}
}
