import TestSupport

extension Fixtures {
    /// The eight notifications of one sandbox subscriber, in Apple's order.
    package static let subscriber = [
        "013-notification-DID_RENEW.jws", "014-notification-EXPIRED-VOLUNTARY.jws",
        "015-notification-SUBSCRIBED-RESUBSCRIBE.jws",
        "016-notification-DID_CHANGE_RENEWAL_STATUS-AUTO_RENEW_DISABLED.jws",
        "017-notification-EXPIRED-VOLUNTARY.jws",
        "018-notification-SUBSCRIBED-RESUBSCRIBE.jws",
        "019-notification-DID_CHANGE_RENEWAL_PREF-UPGRADE.jws",
        "020-notification-DID_CHANGE_RENEWAL_STATUS-AUTO_RENEW_DISABLED.jws",
    ]
    package static let subscriberId = "2000001024993299"
    package static let subscriberApp = "com.loki-project.loki-messenger"
}
