/// What happened (App Store Server Notifications, `notificationType`). `Ledger` defines what each
/// means for a lifecycle (`Lifecycle.md`).
public enum NotificationType: String, Sendable, CaseIterable {
    /// First subscription in the group, or again after an expiry.
    case subscribed = "SUBSCRIBED"
    /// Renewed, or recovered from billing retry or grace.
    case didRenew = "DID_RENEW"
    /// Plan change: an upgrade now, a downgrade at the next renewal.
    case didChangeRenewalPref = "DID_CHANGE_RENEWAL_PREF"
    /// Auto-renewal turned on or off. Access continues to the end of the period.
    case didChangeRenewalStatus = "DID_CHANGE_RENEWAL_STATUS"
    /// An offer redeemed on an active subscription.
    case offerRedeemed = "OFFER_REDEEMED"
    /// Entered billing retry, with or without grace.
    case didFailToRenew = "DID_FAIL_TO_RENEW"
    /// Grace is over; billing retry continues.
    case gracePeriodExpired = "GRACE_PERIOD_EXPIRED"
    /// Ended; the subtype states why.
    case expired = "EXPIRED"
    /// The customer was informed of a price increase, or responded to it.
    case priceIncrease = "PRICE_INCREASE"
    /// A transaction was refunded.
    case refund = "REFUND"
    /// A refund request was declined: no change.
    case refundDeclined = "REFUND_DECLINED"
    case refundReversed = "REFUND_REVERSED"
    /// The customer requested a refund; Apple requests consumption data. No change.
    case consumptionRequest = "CONSUMPTION_REQUEST"
    /// A family member lost access.
    case revoke = "REVOKE"
    /// The renewal date of one subscription was extended.
    case renewalExtended = "RENEWAL_EXTENDED"
    /// About a mass extension: its summary, or one failure.
    case renewalExtension = "RENEWAL_EXTENSION"
    /// A consumable, non-consumable or non-renewing purchase.
    case oneTimeCharge = "ONE_TIME_CHARGE"
    /// About an external purchase token; not a subscription event.
    case externalPurchaseToken = "EXTERNAL_PURCHASE_TOKEN"
    /// A guardian withdrew consent for the use of the app.
    case rescindConsent = "RESCIND_CONSENT"
    /// Advanced Commerce: metadata changed.
    case metadataUpdate = "METADATA_UPDATE"
    /// Advanced Commerce: a subscription was migrated.
    case migration = "MIGRATION"
    /// Advanced Commerce: a price changed.
    case priceChange = "PRICE_CHANGE"
    /// Requested by the developer.
    case test = "TEST"
}

extension NotificationType {
    /// The subtypes of the type (App Store Server Notifications, `subtype`).
    package var subtypes: [Subtype] { NotificationType.allSubtypes[self] ?? [] }

    private static let allSubtypes: [NotificationType: [Subtype]] = [
        .subscribed: [.initialBuy, .resubscribe], .didRenew: [.billingRecovery],
        .didChangeRenewalPref: [.upgrade, .downgrade],
        .didChangeRenewalStatus: [.autoRenewEnabled, .autoRenewDisabled],
        .offerRedeemed: [.upgrade, .downgrade],
        .didFailToRenew: [.gracePeriod],
        .expired: [.voluntary, .billingRetry, .priceIncrease, .productNotForSale],
        .priceIncrease: [.pending, .accepted], .renewalExtension: [.summary, .failure],
        .externalPurchaseToken: [.created, .activeTokenReminder, .unreported],
    ]
}
