public import Ledger

/// Which notices are reconciled.
public enum ReconcileScope: Sendable, Hashable, CaseIterable {
    /// Those that Apple's data can close (`Lifecycle.md` §4).
    case gaps
    /// All open ones.
    case all

    /// The codes in scope, in reporting order.
    public var codes: [NoticeCode] {
        switch self {
        case .gaps:
            [
                .renewalOverdue, .missingPeriod, .unexplainedExpiry, .historyMissingBefore,
                .missingRenewalInfo, .unconfirmedStatement,
            ]
        case .all: NoticeCode.allCases
        }
    }
}
