/// An authority's statement about one of its certificates.
public enum RevocationStatus: Sendable, Hashable {
    case good
    case revoked
    /// Inconclusive, with the reason. Never a reason to reject evidence.
    case unknown(String)
}
