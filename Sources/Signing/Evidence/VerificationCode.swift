/// Why evidence was not verified or not accepted: the stable codes of `Contract.md`. Clients
/// compare these, never the messages.
public enum VerificationCode: String, Sendable, Hashable, CaseIterable {
    /// Not three canonical base64url segments, or the header is not a JSON object of the required
    /// form (RFC 7515 §3, §7.1).
    case malformedJWS
    /// Not PKCS #7 signed data with one signer, binary or in base64 (RFC 5652 §5), and so not an
    /// app receipt.
    case malformedReceipt
    /// `alg` is not ES256, the only algorithm of Apple's JWS (JWSDecodedHeader); a receipt is not
    /// signed with RSA over SHA-1 or SHA-256.
    case unsupportedAlgorithm
    /// `x5c` does not contain exactly three certificates: leaf, intermediate, root. A receipt
    /// contains too few or too many.
    case invalidChainLength
    /// The presented root is not trusted by this ledger.
    case untrustedRoot
    /// A certificate is invalid, or the chain is (RFC 5280 §6.1).
    case invalidCertificate
    /// The leaf or the intermediate lacks the extension that marks certificates for App Store data.
    case missingAppleMarker
    /// A certificate of the chain was not valid on the effective date (`Lifecycle.md` §1).
    case certificateNotValidAtSigning
    /// The leaf's key did not make the signature over these bytes (RFC 7518 §3.4).
    case signatureMismatch
    /// Genuine, but for another app.
    case wrongApp
    /// Genuine, but for another environment.
    case wrongEnvironment
    /// Larger than the limit of its kind (`Log.md` §6).
    case payloadTooLarge
    /// The signature is valid, but the payload is not one of Apple's.
    case undecodablePayload
    /// A nested part of a notification is invalid or does not belong to it; `cause` has the code.
    case nestedPartInvalid
    /// Revocation could not be checked. Not a statement about the evidence: try again.
    case revocationUnknown
    /// The limit on unknown certificate chains is exceeded (`Service.md`, Limits). Not a statement
    /// about the evidence: try again.
    case tooManyUnknownChains
    /// A certificate of the chain was revoked by its issuer.
    case certificateRevoked
    /// The password of a version 1 notification is not the app's shared secret.
    case wrongSharedSecret
    /// The app's shared secret for version 1 notifications is not configured, or its file could not
    /// be used, so the notification cannot be authenticated.
    case sharedSecretMissing
    /// A body of original StoreKit contains the app's shared secret outside its `password`, where
    /// Apple never puts it; storing it would expose the secret.
    case secretExposed
    /// A verifyReceipt response in which Apple rejects the receipt.
    case receiptRefusedByApple
    /// A genuine receipt for a device other than the one named.
    case wrongDevice
}
