/// What follows from each number.
extension APIErrorCode {
    /// The HTTP status that comes with it.
    public var httpStatus: Int { Int(rawValue / 10_000) }

    /// Whether the same request may succeed later: Apple's "errors to retry", 429 after its date,
    /// and failures of Apple's own.
    public var isRetryable: Bool {
        switch self {
        case .accountNotFoundRetryable, .appNotFoundRetryable,
            .originalTransactionIdNotFoundRetryable, .rateLimitExceeded, .generalInternal,
            .generalInternalRetryable:
            true
        default: false
        }
    }

    /// What the asker can do about it: one sentence.
    public var remedy: String {
        switch self {
        case .transactionIdNotFound:
            "Check the id; it may belong to the other environment (--environment), or to a"
                + " purchase of the last minutes: then ask again later."
        case .originalTransactionIdNotFound, .accountNotFound:
            "Check the id; it may belong to the other environment (--environment)."
        case .appNotFound, .invalidAppIdentifier:
            "Check the bundle id and that the key belongs to the same App Store Connect account."
        case .appTransactionDoesNotExist: "The customer has none; nothing can be done."
        case .testNotificationNotFound: "Apple may not have the result yet: ask again in a moment."
        case .serverNotificationURLNotFound:
            "Enter the address of this server in App Store Connect, App Information, App Store"
                + " Server Notifications."
        case .statusRequestNotFound: "Check the product and the request identifier."
        case .startDateTooFarInPast, .invalidStartDate:
            "Apple keeps 180 days in Production and 30 in Sandbox: begin later, and use the"
                + " transaction history for what is older."
        case .startDateAfterEndDate, .invalidEndDate: "The window must begin before it ends."
        case .paginationTokenExpired, .invalidPaginationToken, .invalidRequestRevision:
            "Begin again at the first page; what was fetched is known already."
        case .invalidNotificationType: "Name a type with one of its own subtypes, or no subtype."
        case .multipleFiltersSupplied: "Ask by type or by transaction id, not by both."
        case .transactionIdIsNotOriginalTransactionId, .invalidOriginalTransactionId,
            .appTransactionIdNotSupported:
            "Use the originalTransactionId; `subledger show` names it."
        case .familyTransactionNotSupported, .familySharedSubscriptionExtensionIneligible:
            "Use the purchaser's transaction: this one is a family member's."
        case .subscriptionExtensionIneligible, .assignedSubscriptionExtensionIneligible:
            "Only an active subscription with a paid period can be extended."
        case .subscriptionMaxExtension:
            "It was extended twice within 365 days already; wait, or grant access by hand"
                + " (`subledger grant`)."
        case .rateLimitExceeded: "Wait for the time stated, then ask again."
        case .generalInternal, .generalInternalRetryable, .accountNotFoundRetryable,
            .appNotFoundRetryable, .originalTransactionIdNotFoundRetryable:
            "Ask again later."
        default: "Correct the request; unchanged it would be refused again."
        }
    }
}
