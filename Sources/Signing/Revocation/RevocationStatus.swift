/// An authority's statement about one of its certificates.
public enum RevocationStatus: Sendable, Hashable {
    case good
    case revoked
    /// Inconclusive, with the reason. Says nothing about the evidence, which may be sent again.
    case unknown(String)

    /// Why evidence under a chain of this status is not accepted where `good` is required;
    /// `revocationUnknown` is retryable and says nothing about the evidence.
    public var refusal: VerificationError? {
        switch self {
        case .good: nil
        case .revoked:
            VerificationError(
                .certificateRevoked, reason: "A certificate of the chain was revoked by its issuer."
            )
        case .unknown(let reason):
            VerificationError(
                .revocationUnknown,
                reason: "Whether a certificate of the chain was revoked is unknown. \(reason)")
        }
    }
}
