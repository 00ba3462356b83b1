import AppStore

extension Cause {
    /// A version 1 notification in terms of version 2. Where one version 1 type maps to several of
    /// version 2, the renewal info distinguishes them, and whether it is about an upgrade.
    init(_ notification: NotificationV1, renewal: RenewalSnapshot?, isUpgrade: Bool) {
        self.init(kind: .notificationV1)
        guard let type = notification.notificationType?.value else {
            // A name that only version 2 has means nothing in version 1.
            let unknown = notification.notificationType.map {
                Raw<NotificationType>(rawValue: $0.rawValue)
            }
            notificationType = unknown?.value == nil ? unknown : nil
            return
        }
        let stated = renewal ?? RenewalSnapshot(notification.renewal)
        let (two, sub) = Cause.versionTwo(type, stated, isUpgrade: isUpgrade)
        notificationType = two.map { Raw($0) }
        subtype = sub.map { Raw($0) }
    }

    private static func versionTwo(
        _ type: NotificationTypeV1, _ renewal: RenewalSnapshot, isUpgrade: Bool
    ) -> (NotificationType?, Subtype?) {
        switch type {
        case .initialBuy: (.subscribed, .initialBuy)
        case .didRenew: (.didRenew, nil)
        case .didRecover, .renewal: (.didRenew, .billingRecovery)
        case .interactiveRenewal:
            // Another level of the group, immediately; or bought again after the end.
            isUpgrade ? (.didChangeRenewalPref, .upgrade) : (.subscribed, .resubscribe)
        case .didChangeRenewalPref: (.didChangeRenewalPref, nil)
        case .didChangeRenewalStatus:
            (
                .didChangeRenewalStatus,
                renewal.willRenew.map { $0 ? .autoRenewEnabled : .autoRenewDisabled }
            )
        case .didFailToRenew:
            (.didFailToRenew, renewal.gracePeriodExpiresDate == nil ? nil : .gracePeriod)
        case .priceIncreaseConsent: (.priceIncrease, .pending)
        case .cancel:
            // An upgrade also cancels the purchase it replaces; the customer was not refunded then.
            isUpgrade ? (.didChangeRenewalPref, .upgrade) : (.refund, nil)
        case .refund: (.refund, nil)
        case .consumptionRequest: (.consumptionRequest, nil)
        case .revoke: (.revoke, nil)
        }
    }
}
