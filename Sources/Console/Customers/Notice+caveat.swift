package import Ledger

extension Notice {
    /// What the support person should know before answering.
    package var caveat: String {
        switch code {
        case .renewalOverdue: "A renewal was due, and nothing was received since."
        case .missingPeriod: "At least one period of this history is missing."
        case .unexplainedExpiry:
            "It expired, and the event that should have come before is missing."
        case .historyMissingBefore: "Nothing is known of the time before the first period."
        case .missingRenewalInfo: "Whether it renews is not known."
        case .lateDelivery: "An event arrived late: earlier answers may have differed."
        case .contradiction: "Two events contradict each other."
        case .tokenChanged:
            "The account token names, or named, another customer: check whose purchase it is."
        case .unreadable: "An event could not be used."
        // Of several causes, which its message distinguishes.
        case .unknownValue, .unconfirmedStatement: message
        case .erasedBefore: "Earlier data of these ids was erased on request."
        }
    }
}

extension NoticeCode {
    /// Whether what is missing lies before the notice's start, and not after it.
    package var isGapBefore: Bool { self == .historyMissingBefore || self == .unexplainedExpiry }

    /// Whether something that should be there is missing: a row of the timeline, to look up.
    package var isGap: Bool {
        switch self {
        case .renewalOverdue, .missingPeriod, .unexplainedExpiry, .historyMissingBefore,
            .missingRenewalInfo:
            true
        case .lateDelivery, .contradiction, .tokenChanged, .unreadable, .unknownValue,
            .unconfirmedStatement, .erasedBefore:
            false
        }
    }
}
