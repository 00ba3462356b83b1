/// What happens when an upload names a customer other than the holder (`Lifecycle.md` §6).
public enum ClaimPolicy: String, Sendable, CaseIterable {
    /// Refuses the claim.
    case keep
    /// Adds the customer.
    case share
    /// Moves the chain, unless an appAccountToken or an operator's link names the present holder.
    case transfer
}
