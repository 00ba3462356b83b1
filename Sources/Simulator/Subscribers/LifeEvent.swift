/// Everything that can happen in a simulated life, one case per rule of `lifecycle.md` or row of
/// Apple's table of notifications that it exercises.
public enum LifeEvent: String, Sendable, CaseIterable {
    // How a period begins.
    case firstPurchase, trial, introductoryOffer, familyCopy, renewal, earlyRenewal, lateRenewal
    case resubscription, resubscriptionAfterAYear, winBack, sandbox, testFlight, commitment
    // What happens inside one.
    case cancellation, uncancellation, downgrade, downgradeCancelled, downgradeTakenUp, upgrade
    case crossgradeNow, crossgradeLater, shorterUpgrade, upgradedSnapshot, offerRedeemed
    case offerUpgrade, offerDowngrade, priceIncreasePending, priceIncreaseAccepted
    case priceIncreaseCancelled, extensionOfExpiry, extensionOfRenewal, staleAfterExtension
    case extensionFailed, restore, sharedLineItem, commitmentCancelled, metadataNote, query
    case upload
    // Refunds and family.
    case refund, refundAtOnceWithCancellation, refundOfOldPeriod, refundReversed
    case refundOfOldPeriodReversed
    case refundReversedAfterEnd, refundRedated, refundDeclined, consumptionRequest
    case repurchaseAfterRefund, familyRevoke, familyReshare, familyReshareSameTransaction
    // How a period ends.
    case voluntaryExpiry, priceIncreaseExpiry, productGoneExpiry, otherExpiry, silentExpiry
    case failureWithoutGrace, failureWithGrace, earlyFailure, recoveredBeforeEnd
    case graceWithoutRetryFlag, graceWithoutDate, recoveredInGrace, graceExpired
    case lingeringGraceDate, recoveredInRetry, recoveredBeyondWindow, retryExpired
    case retryExpiredLate, cancelledInGrace, cancelledInRetry, purchaseInGrace, purchaseInRetry
    case silentRetry, noteWhileFailing, mindChangedInRetry
    // Payloads of before mid-2023.
    case withoutStatus
    // Purchases that do not renew.
    case nonConsumable, consumable, nonRenewing, oneTimeRefund, oneTimeRefundReversed
    case oneTimeRestore
}
