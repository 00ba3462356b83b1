/// Events of simulated lives, one case per rule of `Lifecycle.md` or row of Apple's notification
/// table that they exercise.
public enum LifeEvent: String, Sendable, CaseIterable {
    // Starts of a period.
    case firstPurchase, trial, introductoryOffer, familyCopy, renewal, earlyRenewal, lateRenewal
    case resubscription, resubscriptionAfterAYear, winBack, sandbox, testFlight, commitment
    // Changes within a period.
    case cancellation, uncancellation, downgrade, downgradeCancelled, downgradeTakenUp, upgrade
    case crossgradeNow, crossgradeLater, shorterUpgrade, upgradedSnapshot, offerRedeemed
    case renewalReplaced, offerUpgrade, offerDowngrade, priceIncreasePending, priceIncreaseAccepted
    case priceIncreaseCancelled, extensionOfExpiry, extensionOfRenewal, staleAfterExtension
    case extensionFailed, restore, sharedLineItem, commitmentCancelled, metadataNote, query
    case upload
    // Refunds and family.
    case refund, refundAtOnceWithCancellation, refundOfOldPeriod, refundReversed
    case refundOfOldPeriodReversed
    case refundReversedAfterEnd, refundRedated, refundDeclined, consumptionRequest
    case repurchaseAfterRefund, familyRevoke, familyReshare, familyReshareSameTransaction
    // Ends of a period.
    case voluntaryExpiry, priceIncreaseExpiry, productGoneExpiry, otherExpiry, silentExpiry
    case failureWithoutGrace, failureWithGrace, earlyFailure, recoveredBeforeEnd
    case graceWithoutRetryFlag, graceWithoutDate, recoveredInGrace, graceExpired
    case lingeringGraceDate, recoveredInRetry, recoveredBeyondWindow, retryExpired
    case retryExpiredLate, cancelledInGrace, cancelledInRetry, purchaseInGrace, purchaseInRetry
    case silentRetry, noteWhileFailing, mindChangedInRetry
    // Payloads from before mid-2023.
    case withoutStatus
    // Purchases that do not renew.
    case nonConsumable, consumable, nonRenewing, oneTimeRefund, oneTimeRefundReversed
    case oneTimeRestore
}
