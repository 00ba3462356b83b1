/// What became of an input offered to the quarantine.
public enum QuarantineResult: Hashable, Sendable {
    /// Kept under a new id.
    case kept(id: Int64)
    /// The same bytes are kept already; one more delivery was counted.
    case repeated(id: Int64)
    /// There is no room left for what is genuine, of a bundle id that is not configured, or may be,
    /// of an app without its shared secret. Whoever sent it must be told, so that it is sent again.
    case refused
}
