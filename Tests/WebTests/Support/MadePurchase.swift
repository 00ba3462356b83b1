import AppStore
import LedgerTestSupport
import Simulator

/// One subscription bought and renewed, with payloads written for the tests.
struct MadePurchase: Sendable {
    static let app = "com.example.app"
    static let appAppleId: Int64 = 1_234_567_890
    static let periodMilliseconds: Int64 = 30 * 86_400_000

    var id = "500000000000001"
    var bundleId = MadePurchase.app
    var environment: Environment? = .production
    /// Whether a notification states the environment itself, besides its signed parts.
    var dataHasEnvironment = true
    var appAccountToken: String?
    /// 2026-01-10T12:00:00.000Z.
    var start = Timestamp(milliseconds: 1_768_046_400_000)

    func start(_ period: Int) -> Timestamp {
        start.advanced(byMilliseconds: Int64(period) * MadePurchase.periodMilliseconds)
    }

    func transactionId(_ period: Int) -> String { period == 0 ? id : "\(id)\(period)" }

    func transaction(_ period: Int) -> TransactionPayload {
        var payload = TransactionPayload()
        payload.transactionId = TransactionId(transactionId(period))
        payload.originalTransactionId = OriginalTransactionId(id)
        payload.webOrderLineItemId = WebOrderLineItemId("6\(transactionId(period))")
        payload.bundleId = BundleId(bundleId)
        payload.productId = ProductId("com.example.pro.monthly")
        payload.purchaseDate = start(period)
        payload.originalPurchaseDate = start
        payload.expiresDate = start(period + 1)
        payload.quantity = 1
        payload.type = Raw(.autoRenewableSubscription)
        payload.inAppOwnershipType = Raw(.purchased)
        payload.signedDate = start(period).advanced(byMilliseconds: 3_000)
        payload.environment = environment.map { Raw($0) }
        payload.storefront = "USA"
        payload.transactionReason = Raw(period == 0 ? .purchase : .renewal)
        payload.price = 9990
        payload.currency = "USD"
        payload.appAccountToken = appAccountToken
        return payload
    }

    func renewal(_ period: Int) -> RenewalPayload {
        var payload = RenewalPayload()
        payload.originalTransactionId = OriginalTransactionId(id)
        payload.productId = ProductId("com.example.pro.monthly")
        payload.autoRenewProductId = ProductId("com.example.pro.monthly")
        payload.autoRenewStatus = Raw(.on)
        payload.renewalDate = start(period + 1)
        payload.environment = environment.map { Raw($0) }
        payload.signedDate = start(period).advanced(byMilliseconds: 3_000)
        return payload
    }

    /// SUBSCRIBED for the first period, DID_RENEW for later ones.
    func notification(_ period: Int) -> Delivery {
        Delivery(
            ordinal: 0, receivedAt: start(period),
            evidence: .notification(payload(period), transaction(period), renewal(period)))
    }

    private func payload(_ period: Int) -> NotificationPayload {
        var payload = NotificationPayload()
        payload.notificationType = Raw(period == 0 ? .subscribed : .didRenew)
        payload.subtype = period == 0 ? Raw(.initialBuy) : nil
        payload.notificationUUID = NotificationUUID("\(id)-\(period)")
        payload.version = "2.0"
        payload.signedDate = start(period).advanced(byMilliseconds: 3_000)
        var data = NotificationData()
        data.environment = dataHasEnvironment ? environment.map { Raw($0) } : nil
        data.bundleId = BundleId(bundleId)
        data.appAppleId = MadePurchase.appAppleId
        data.status = Raw(.active)
        payload.data = data
        return payload
    }

    // MARK: Bodies

    /// The body Apple would post.
    func notificationBody(_ period: Int = 0) throws -> [UInt8] {
        try MadePurchase.body(notification(period))
    }

    /// The same of the refund of a period, a day after its start.
    func refundBody(_ period: Int = 0) throws -> [UInt8] {
        let refundedAt = start(period).advanced(byMilliseconds: 86_400_000)
        var (payload, refunded) = (payload(period), transaction(period))
        payload.notificationType = Raw(.refund)
        payload.subtype = nil
        payload.notificationUUID = NotificationUUID("\(id)-\(period)-refund")
        payload.signedDate = refundedAt
        payload.data?.status = Raw(.revoked)
        refunded.revocationDate = refundedAt
        refunded.signedDate = refundedAt
        return try MadePurchase.body(
            Delivery(
                ordinal: 0, receivedAt: refundedAt,
                evidence: .notification(payload, refunded, nil)))
    }

    private static func body(_ delivery: Delivery) throws -> [UInt8] {
        let line = try JSONValue.parse(TestAuthority.signer.line(delivery))
        var json = JSONWriter()
        json.object { $0.member("signedPayload", line["signedPayload"]?.string) }
        return json.bytes
    }

    /// The body an app would send.
    func uploadBody(_ period: Int = 0, customer: String? = nil) throws -> [UInt8] {
        let delivery = Delivery(
            ordinal: 0, receivedAt: start, evidence: .transaction(transaction(period)))
        let line = try JSONValue.parse(TestAuthority.signer.line(delivery))
        var json = JSONWriter()
        json.object {
            $0.member("signedTransactionInfo", line["signedTransactionInfo"]?.string)
            $0.memberIfPresent("customer", customer)
        }
        return json.bytes
    }
}
