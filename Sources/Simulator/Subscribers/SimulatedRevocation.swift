import AppStore

/// A refund, or the loss of a family copy, in Apple's books.
struct SimulatedRevocation: Hashable, Sendable {
    let date: Timestamp
    let reason: RevocationReason
    let type: RevocationType
    /// Thousandths of a percent; refunds only.
    let percentage: Int64?
}
