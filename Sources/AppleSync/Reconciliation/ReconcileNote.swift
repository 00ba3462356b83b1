public import AppStore

/// A log entry of reconciliation. Contains no payload or token.
public enum ReconcileNote: Sendable {
    /// A round in which chains were reconciled.
    case round(ReconcileReport)
    /// A round that could not start or ended early.
    case failed(Environment, code: String, message: String)

    public var environment: Environment {
        switch self {
        case .round(let report): report.environment
        case .failed(let environment, _, _): environment
        }
    }

    /// Stable; to filter and alert by.
    public var code: String {
        switch self {
        case .round: "reconciled"
        case .failed(_, let code, _): code
        }
    }

    /// Whether an operator should look.
    public var isNews: Bool {
        switch self {
        case .round: false
        case .failed: true
        }
    }

    /// One line for a log.
    public var text: String {
        switch self {
        case .round(let report): "reconcile: \(report.summary)"
        case .failed(_, _, let message): "reconcile: \(message)"
        }
    }

    /// The number of chains by outcome, for metrics.
    public var outcomes: [(outcome: ChainReconciliation.Outcome, count: Int)] {
        guard case .round(let report) = self else { return [] }
        return ChainReconciliation.Outcome.allCases.map { ($0, report.count($0)) }
            .filter { $0.1 > 0 }
    }
}
