/// A customer who holds a chain, and on which authority (`Lifecycle.md` §6).
public struct Holder: Hashable, Sendable {
    public var customer: CustomerId
    public var authority: Authority
    /// Position of the event that states it.
    public var cause: Int64
    /// Trust of the event that states the token; nil if a command names the holder.
    public var tokenTrust: Trust?

    public enum Authority: String, Sendable {
        /// The chain's appAccountToken.
        case token
        /// An operator's link.
        case `operator`
        /// An upload that named the customer.
        case claim
    }
}
