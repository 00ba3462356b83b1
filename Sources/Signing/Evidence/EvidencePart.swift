/// Which signed part of the evidence an error speaks of.
public enum EvidencePart: String, Sendable, Hashable, CaseIterable {
    /// What was handed in: a notification, or a part that came on its own.
    case outer
    /// `signedTransactionInfo`.
    case transaction
    /// `signedRenewalInfo`.
    case renewal
    /// `signedAppTransactionInfo`, or a device's AppTransaction inside another part.
    case appTransaction
}
