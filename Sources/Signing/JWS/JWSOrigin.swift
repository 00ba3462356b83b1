/// Trust anchor of a signature.
enum JWSOrigin: Sendable {
    /// A chain to a pinned root.
    case chain(VerifiedCertificateChain)
    /// A certificate made by Xcode or a local test, which proves nothing. Only for those
    /// environments.
    case local
}
