/// What an upload that names another customer than the holder does (`lifecycle.md` §6).
public enum ClaimPolicy: String, Sendable, CaseIterable {
    /// Refuses it.
    case keep
    /// Adds the customer.
    case share
    /// Moves the chain, unless an appAccountToken or an operator's link names the present holder.
    case transfer
}
