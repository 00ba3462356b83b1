/// The signed part of the evidence that an error concerns.
public enum EvidencePart: String, Sendable, Hashable, CaseIterable {
    /// The evidence as submitted: a notification, or a separate part.
    case outer
    /// `signedTransactionInfo`.
    case transaction
    /// `signedRenewalInfo`.
    case renewal
    /// `signedAppTransactionInfo`, or a device's AppTransaction inside another part.
    case appTransaction
}
