/// A transaction and a renewal info that belong together: one element of `lastTransactions`
/// (App Store Server API, Get All Subscription Statuses) or what a device sends.
public struct VerifiedPair: Sendable {
    /// The transaction, with its own date and trust.
    public let transaction: VerifiedTransaction
    /// The renewal info; signs `null` when its payload is nil.
    public let renewal: VerifiedRenewal
}
