public import AppStore

/// One simulated life: what Apple sent about it, and what was true.
public struct SubscriberLife: Sendable {
    /// The seed that makes it again.
    public let seed: UInt64
    /// The environment all its payloads name: one ledger's.
    public let environment: Environment
    /// The chain.
    public let originalTransactionId: OriginalTransactionId
    /// In the order Apple signed them.
    public let deliveries: [Delivery]
    /// What the ledger must say once everything has arrived: adjacent intervals, in order.
    public let truth: [TrueInterval]
    /// Attributes at the moments Apple signed a renewal info, in order of signing.
    public let moments: [TrueMoment]
    /// Losses the answer survives, with the answer.
    public let losses: [SimulatedLoss]
    /// What happened, and how often.
    public let events: [LifeEvent: Int]

    /// The deliveries that are left after a loss.
    public func deliveries(without loss: SimulatedLoss) -> [Delivery] {
        deliveries.filter { !loss.dropped.contains($0.ordinal) }
    }
}
