/// What became of an input offered to the quarantine.
public enum QuarantineResult: Hashable, Sendable {
    /// Kept under a new id.
    case kept(id: Int64)
    /// The same bytes are kept already; one more delivery was counted.
    case repeated(id: Int64)
    /// Genuine, but its bundle id is not configured and has no room left. Whoever sent it must be
    /// told, so that it is sent again.
    case refused
}
