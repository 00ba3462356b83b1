/// On whose word a signature was believed.
enum JWSOrigin: Sendable {
    /// A chain to a pinned root.
    case chain(VerifiedChain)
    /// Xcode's or a local test's own certificate: nobody's word. Only ever for those environments.
    case local
}
