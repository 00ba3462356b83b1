public import AppStore

/// One simulated life: what Apple sent about it, and the truth.
public struct SubscriberLife: Sendable {
    /// The seed that generates it.
    public let seed: UInt64
    /// The environment of all its payloads.
    public let environment: Environment
    public let originalTransactionId: OriginalTransactionId
    /// In the order Apple signed them.
    public let deliveries: [Delivery]
    /// What the ledger must report once everything has arrived: adjacent intervals, in order.
    public let truth: [TrueInterval]
    /// Apple's books, and the losses noted, from which tests derive more.
    package let written: LifeWriter
}
