public import AppStore
internal import LedgerStore

/// What the service tells about looking chains up. Never a payload or a token.
public enum ReconcileNote: Sendable {
    /// A round in which chains were looked up.
    case round(ReconcileReport)
    /// A round that could not be begun, or ended early.
    case failed(Environment, code: String, message: String)

    /// The ledger it is about.
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

    /// Whether somebody should look.
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

    /// How many chains came to what, for whoever counts.
    public var outcomes: [(outcome: ChainReconciliation.Outcome, count: Int)] {
        guard case .round(let report) = self else { return [] }
        return ChainReconciliation.Outcome.allCases.map { ($0, report.count($0)) }
            .filter { $0.1 > 0 }
    }
}
