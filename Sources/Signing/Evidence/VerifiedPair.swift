/// A transaction and its renewal info: one element of `lastTransactions` (App Store Server API, Get
/// All Subscription Statuses), or as uploaded by a device.
public struct VerifiedPair: Sendable {
    /// The transaction, with its own date and trust.
    public let transaction: VerifiedTransaction
    /// The renewal info; its payload is nil for the literal `null`.
    public let renewal: VerifiedRenewal
}
