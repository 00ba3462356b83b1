/// Why evidence is not believed or not accepted: the stable codes of `contract.md`, which scripts
/// rely on. Compare these, never the sentences.
public enum VerificationCode: String, Sendable, Hashable, CaseIterable {
    /// Not three canonical base64url segments, or a header that is no JSON object of the right
    /// form (RFC 7515 §3, §7.1).
    case malformedJWS
    /// Not one PKCS #7 signed data with one signer, binary or in base64 (RFC 5652 §5): no app
    /// receipt.
    case malformedReceipt
    /// `alg` is not ES256, the only one Apple signs JWS with (JWSDecodedHeader); a receipt is not
    /// signed with RSA over SHA-1 or SHA-256.
    case unsupportedAlgorithm
    /// `x5c` does not hold exactly three certificates: leaf, intermediate, root. A receipt holds too
    /// few or too many.
    case invalidChainLength
    /// The presented root is not one this ledger trusts.
    case untrustedRoot
    /// A certificate is broken, or the chain does not hold (RFC 5280 §6.1).
    case invalidCertificate
    /// The leaf or the intermediate lacks the extension by which Apple marks certificates that
    /// sign App Store data.
    case missingAppleMarker
    /// A certificate of the chain was not valid on the effective date (`lifecycle.md` §1).
    case certificateNotValidAtSigning
    /// The signature is not the leaf's over these bytes (RFC 7518 §3.4).
    case signatureMismatch
    /// Genuine, but for another app.
    case wrongApp
    /// Genuine, but of another environment.
    case wrongEnvironment
    /// Larger than the limit of its kind (`design.md` §6).
    case payloadTooLarge
    /// The signature holds, but the payload is not one of Apple's.
    case undecodablePayload
    /// A signed part inside a notification does not hold or does not belong to it; `cause` says
    /// why.
    case nestedPartInvalid
    /// Whether a certificate was revoked could not be found out. Says nothing about the evidence:
    /// try again.
    case revocationUnknown
    /// More chains that were not seen before than are looked at in that time (`design.md` §6).
    /// Says nothing about the evidence: try again.
    case tooManyUnknownChains
    /// A certificate of the chain was revoked by its issuer.
    case certificateRevoked
    /// The password of a version 1 notification is not the app's shared secret.
    case wrongSharedSecret
    /// A version 1 notification of an app whose shared secret is not configured here: nobody can
    /// tell whether it is Apple's.
    case sharedSecretMissing
    /// The app's shared secret stands in a body of original StoreKit elsewhere than in its
    /// `password`, where Apple never puts it: kept, it would be readable.
    case secretExposed
    /// An answer of verifyReceipt in which Apple vouches for no receipt.
    case receiptRefusedByApple
    /// A genuine receipt, but of another device than the one named.
    case wrongDevice
}
