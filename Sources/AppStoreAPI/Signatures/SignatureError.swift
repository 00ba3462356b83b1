/// Why a signature is not made. Contains none of the values that were to be signed.
public struct SignatureError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable codes; clients compare the raw value.
    public enum Code: String, Sendable, CaseIterable {
        /// A product, offer, transaction, token or nonce is not 1 to
        /// `SignatureRequest.textByteCount` printable ASCII characters without spaces.
        case invalidSignatureField
        /// No Advanced Commerce in-app request, or one over `SignatureRequest.requestByteCount`.
        case invalidCommerceRequest
        case signingFailed
    }

    public let code: Code
    /// What is wrong, for people.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
