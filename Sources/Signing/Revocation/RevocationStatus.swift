/// What an authority said about one of its certificates.
public enum RevocationStatus: Sendable, Hashable {
    case good
    case revoked
    /// Nothing could be found out; the sentence says why. Never a reason to disbelieve.
    case unknown(String)
}
