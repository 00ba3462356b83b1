/// Bounds of the quarantine (`Log.md` §6). Each is tested at the bound and one past it.
public enum QuarantineLimits {
    /// Genuine inputs kept per bundle id that is not configured.
    public static let foreignCountPerBundle = 100
    /// Genuine inputs kept for all bundle ids that are not configured.
    public static let foreignCount = 1_000
    /// Unverifiable inputs kept.
    public static let unverifiableCount = 10_000
    /// Stored bytes of all unverifiable inputs: 64 MiB.
    public static let unverifiableByteCount = 64 * 1024 * 1024
    /// Stored copy of one unverifiable input: 256 KiB.
    public static let unverifiableCopyByteCount = 256 * 1024
    /// Version 1 notifications kept of configured apps without a shared secret, or with a password
    /// other than theirs.
    public static let awaitingSecretCount = 1_000
    /// Stored bytes of all of them: 64 MiB.
    public static let awaitingSecretByteCount = 64 * 1024 * 1024
    /// Items of one page read.
    public static let pageCount = 1_000
}
