/// The result of offering an input to the quarantine.
public enum QuarantineResult: Hashable, Sendable {
    /// Stored under a new id.
    case kept(id: Int64)
    /// The same bytes are already stored; one more delivery was counted.
    case repeated(id: Int64)
    /// There is no room for a genuine input of a bundle id that is not configured, or for a
    /// possibly genuine one of an app without its shared secret. The sender must get an error, so
    /// that it sends again.
    case refused
}
