/// Properties of each error number.
extension APIErrorCode {
    /// Whether the same request may succeed later: Apple's "errors to retry", 429 after its date,
    /// and internal failures of Apple's.
    public var isRetryable: Bool {
        switch self {
        case .accountNotFoundRetryable, .appNotFoundRetryable,
            .originalTransactionIdNotFoundRetryable, .rateLimitExceeded, .generalInternal,
            .generalInternalRetryable:
            true
        default: false
        }
    }

    /// What to do, in one sentence.
    public var remedy: String {
        switch self {
        case .transactionIdNotFound:
            "Check the id; it may belong to the other environment (--environment), or to a"
                + " purchase of the last minutes: then try again later."
        case .originalTransactionIdNotFound, .accountNotFound:
            "Check the id; it may belong to the other environment (--environment)."
        case .appNotFound, .invalidAppIdentifier:
            "Check the bundle id and that the key belongs to the same App Store Connect account."
        case .appTransactionDoesNotExist: "The customer has no app transaction."
        case .testNotificationNotFound: "Apple may not have the result yet; try again in a moment."
        case .serverNotificationURLNotFound:
            "Enter the address of this server in App Store Connect, App Information, App Store"
                + " Server Notifications."
        case .statusRequestNotFound: "Check the product and the request identifier."
        case .startDateTooFarInPast, .invalidStartDate:
            "Apple keeps 180 days in Production and 30 in Sandbox: use a later start, and the"
                + " transaction history for older data."
        case .startDateAfterEndDate, .invalidEndDate: "The window must begin before it ends."
        case .paginationTokenExpired, .invalidPaginationToken, .invalidRequestRevision:
            "Restart at the first page; fetched items are recognised as duplicates."
        case .invalidNotificationType: "Give a type with one of its own subtypes, or no subtype."
        case .multipleFiltersSupplied: "Filter by type or by transaction id, not both."
        case .transactionIdIsNotOriginalTransactionId, .invalidOriginalTransactionId,
            .appTransactionIdNotSupported:
            "Use the originalTransactionId, as printed by `subledger show`."
        case .familyTransactionNotSupported, .familySharedSubscriptionExtensionIneligible:
            "Use the purchaser's transaction: this one is a family member's."
        case .subscriptionExtensionIneligible, .assignedSubscriptionExtensionIneligible:
            "Only an active subscription with a paid period can be extended."
        case .subscriptionMaxExtension:
            "It was already extended twice within 365 days; wait, or grant access manually"
                + " (`subledger grant`)."
        case .imageNotFound, .messageNotFound:
            "Check the identifier: `subledger api images` and `subledger api messages` list those"
                + " of the environment."
        case .imageAlreadyExists, .messageAlreadyExists:
            "Use another identifier, or delete what has this one first."
        case .imageNotApproved, .messageNotApproved:
            "Wait for Apple's approval: `subledger api images` and `subledger api messages` print"
                + " the state. Upload another one if it was rejected."
        case .imageInUse: "Delete the messages that show the image first."
        case .maximumNumberOfImagesReached, .maximumNumberOfMessagesReached:
            "Delete one that is no longer used first."
        case .defaultMessageNotFound:
            "The product has none in this locale: `subledger api set-default-message` sets one."
        case .realtimeUrlNotFound:
            "The environment has none: `subledger api set-realtime-url` sets one."
        case .forbiddenNoPassingTest:
            "Pass a performance test in Sandbox first (`subledger api performance-test`)."
        case .existingPerformanceTestRun:
            "Wait until the test that is running has ended, then try again."
        case .performanceTestRunNotFound:
            "Check the request id, as printed by `subledger api performance-test`."
        case .rateLimitExceeded: "Try again after the time stated."
        case .generalInternal, .generalInternalRetryable, .accountNotFoundRetryable,
            .appNotFoundRetryable, .originalTransactionIdNotFoundRetryable:
            "Try again later."
        default: "Correct the request before sending it again."
        }
    }
}
