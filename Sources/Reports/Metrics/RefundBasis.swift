import Ledger

/// The day by which refunds are counted (`Metrics.md`, refunds). Raw values are the contract's.
public enum RefundBasis: String, Sendable, CaseIterable {
    case refund
    case purchase

    /// The metric by this basis; only refunds have two bases.
    public func metric(_ name: MetricName) throws(MetricsError) -> MetricName {
        guard name == .counted(.refunds) else { throw .basisOfRefunds }
        return self == .refund ? name : .counted(.refundsByPurchase)
    }
}
