/// Detail of a notification type (App Store Server Notifications, `subtype`).
public enum Subtype: String, Sendable, CaseIterable {
    /// `SUBSCRIBED`: for the first time in the group.
    case initialBuy = "INITIAL_BUY"
    /// `SUBSCRIBED`: again, after an expiry.
    case resubscribe = "RESUBSCRIBE"
    /// `DID_RENEW`: after a failed payment.
    case billingRecovery = "BILLING_RECOVERY"
    /// Takes effect immediately.
    case upgrade = "UPGRADE"
    /// Takes effect at the next renewal.
    case downgrade = "DOWNGRADE"
    /// `DID_CHANGE_RENEWAL_STATUS`: on again.
    case autoRenewEnabled = "AUTO_RENEW_ENABLED"
    /// `DID_CHANGE_RENEWAL_STATUS`: off.
    case autoRenewDisabled = "AUTO_RENEW_DISABLED"
    /// `DID_FAIL_TO_RENEW`: access continues through grace.
    case gracePeriod = "GRACE_PERIOD"
    /// `EXPIRED`: the customer had turned off auto-renewal.
    case voluntary = "VOLUNTARY"
    /// `EXPIRED`: billing retry ended without payment.
    case billingRetry = "BILLING_RETRY"
    /// `EXPIRED`: no consent to a price increase.
    case priceIncrease = "PRICE_INCREASE"
    /// `EXPIRED`: the product was not available at renewal.
    case productNotForSale = "PRODUCT_NOT_FOR_SALE"
    /// `PRICE_INCREASE`: no response yet.
    case pending = "PENDING"
    /// `PRICE_INCREASE`: consented, or consent not required.
    case accepted = "ACCEPTED"
    /// `RENEWAL_EXTENSION`: finished for all subscribers.
    case summary = "SUMMARY"
    /// `RENEWAL_EXTENSION`: failed for one subscriber.
    case failure = "FAILURE"
    /// `EXTERNAL_PURCHASE_TOKEN`: a token was created.
    case created = "CREATED"
    /// `EXTERNAL_PURCHASE_TOKEN`: monthly reminder of an active token.
    case activeTokenReminder = "ACTIVE_TOKEN_REMINDER"
    /// `EXTERNAL_PURCHASE_TOKEN`: a token was not reported.
    case unreported = "UNREPORTED"
}
