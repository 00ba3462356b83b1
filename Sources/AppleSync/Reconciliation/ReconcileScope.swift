public import Ledger

/// Which notices are looked up.
public enum ReconcileScope: Sendable, Hashable, CaseIterable {
    /// Those that Apple's answers can close (`lifecycle.md` §4).
    case gaps
    /// Every open one.
    case all

    /// The codes it takes, in the order in which they are told.
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
