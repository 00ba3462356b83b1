public import AppStore
internal import Signing

/// Version 1 notifications (App Store Server Notifications V1).
extension OriginalStoreKit {
    /// A version 1 notification, and when it was sent.
    public struct Sent: Sendable {
        public let at: Timestamp
        public let originalTransactionId: String
        /// As Apple posts it, with the password in clear text.
        public let body: [UInt8]
    }

    /// Number of newest transactions in a notification.
    static let transactionCount = 100

    /// The version 1 notifications of all lives up to a date, in order of sending, with the app's
    /// shared secret as `password`. Version 1 has no type for much of version 2: the end of a
    /// subscription or its grace period, a refund declined or reversed, an extended renewal. These
    /// are omitted. `authority` signs the embedded receipts, whose date tells the ledger when the
    /// notification was sent, to the second; nil omits them.
    public func notificationsV1(
        through end: Timestamp, password: String, authority: ReceiptAuthority? = nil
    ) throws -> [Sent] {
        var sent: [Sent] = []
        for reported in books.sent where reported.signedDate <= end {
            guard let type = OriginalStoreKit.type(reported) else { continue }
            var latest: String?
            if let authority, let contents = receipt(of: reported.chain, at: reported.signedDate) {
                let signed = try authority.sign(contents)
                latest = String(decoding: Base64.standard.encode(signed), as: UTF8.self)
            }
            sent.append(
                Sent(
                    at: reported.signedDate, originalTransactionId: reported.chain,
                    body: body(type, reported, password, latestReceipt: latest)))
        }
        return sent
    }

    private func body(
        _ type: NotificationTypeV1, _ reported: ServedRecords.Sent, _ password: String,
        latestReceipt: String?
    ) -> [UInt8] {
        let isProduction = books.environment == .production
        let purchases = purchases(of: reported.chain, at: reported.signedDate)
            .suffix(OriginalStoreKit.transactionCount).reversed()
        return JSONWriter.object { json in
            json.member("notification_type", type.rawValue)
            json.member("password", password)
            json.member("environment", isProduction ? "PROD" : "Sandbox")
            json.member("bid", books.bundleId)
            json.member("bvrs", "1")
            json.member("original_transaction_id", reported.chain)
            if let renewal = reported.renewal {
                json.memberIfPresent("auto_renew_product_id", renewal.autoRenewProductId)
                json.memberIfPresent(
                    "auto_renew_status",
                    renewal.autoRenewStatus.map { $0 == Raw(.on) ? "true" : "false" })
            }
            if type == .didChangeRenewalStatus {
                json.date("auto_renew_status_change_date", reported.signedDate)
            }
            if type == .cancel || type == .refund || type == .revoke {
                json.date("cancellation_date", reported.transaction?.revocationDate)
                json.memberIfPresent(
                    "web_order_line_item_id", reported.transaction?.webOrderLineItemId)
            }
            json.unifiedReceipt(
                Array(purchases), [reported.renewal].compactMap { $0 },
                environment: isProduction ? "Production" : "Sandbox",
                latestReceipt: latestReceipt)
        }
    }

    /// The version 1 type; nil when there is none.
    private static func type(_ sent: ServedRecords.Sent) -> NotificationTypeV1? {
        let subtype = sent.notification.subtype?.value
        switch sent.notification.notificationType?.value {
        case .subscribed: return subtype == .resubscribe ? .interactiveRenewal : .initialBuy
        case .didRenew: return subtype == .billingRecovery ? .didRecover : .didRenew
        case .didChangeRenewalStatus: return .didChangeRenewalStatus
        case .didChangeRenewalPref:
            return subtype == .upgrade ? .interactiveRenewal : .didChangeRenewalPref
        case .didFailToRenew: return .didFailToRenew
        case .offerRedeemed:
            switch subtype {
            case .initialBuy: return .initialBuy
            case .resubscribe, .upgrade: return .interactiveRenewal
            case .downgrade: return .didChangeRenewalPref
            default: return nil
            }
        case .priceIncrease: return subtype == .pending ? .priceIncreaseConsent : nil
        case .refund:
            return sent.transaction?.expiresDate == nil ? .refund : .cancel
        case .revoke: return .revoke
        case .consumptionRequest: return .consumptionRequest
        default: return nil
        }
    }
}
