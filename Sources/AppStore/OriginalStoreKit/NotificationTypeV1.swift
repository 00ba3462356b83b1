/// `notification_type` of version 1
/// (https://developer.apple.com/documentation/appstoreservernotifications/notification_type).
public enum NotificationTypeV1: String, Sendable, CaseIterable {
    case cancel = "CANCEL"
    case consumptionRequest = "CONSUMPTION_REQUEST"
    case didChangeRenewalPref = "DID_CHANGE_RENEWAL_PREF"
    case didChangeRenewalStatus = "DID_CHANGE_RENEWAL_STATUS"
    case didFailToRenew = "DID_FAIL_TO_RENEW"
    case didRecover = "DID_RECOVER"
    case didRenew = "DID_RENEW"
    case initialBuy = "INITIAL_BUY"
    case interactiveRenewal = "INTERACTIVE_RENEWAL"
    case priceIncreaseConsent = "PRICE_INCREASE_CONSENT"
    case refund = "REFUND"
    /// The name of DID_RECOVER until 2021-03-10.
    case renewal = "RENEWAL"
    case revoke = "REVOKE"
}
