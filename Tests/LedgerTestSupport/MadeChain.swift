import AppStore
import Simulator

/// One subscription of thirty-day periods with payloads made up for the tests.
package struct MadeChain: Sendable {
    package static let app = "com.example.app"
    package static let appAppleId: Int64 = 1_234_567_890
    package static let product = "com.example.pro.monthly"
    package static let periodMilliseconds: Int64 = 30 * 86_400_000

    package var id: String
    package var bundleId: String
    package var environment: Environment?
    package var product: String
    package var start: Timestamp
    package var storefront: String
    package var appAccountToken: String?

    /// - Parameter start: by default 2026-01-10T12:00:00.000Z.
    package init(
        id: String = "500000000000001", bundleId: String = MadeChain.app,
        environment: Environment? = .production, product: String = MadeChain.product,
        start: Timestamp = Timestamp(milliseconds: 1_768_046_400_000), storefront: String = "USA",
        appAccountToken: String? = nil
    ) {
        self.id = id
        self.bundleId = bundleId
        self.environment = environment
        self.product = product
        self.start = start
        self.storefront = storefront
        self.appAccountToken = appAccountToken
    }

    /// The nth period, from 0.
    package func start(_ period: Int) -> Timestamp {
        start.advanced(byMilliseconds: Int64(period) * MadeChain.periodMilliseconds)
    }

    package func transactionId(_ period: Int) -> String { period == 0 ? id : "\(id)\(period)" }

    // MARK: Payloads

    package func transaction(_ period: Int, signed: Timestamp) -> TransactionPayload {
        var payload = TransactionPayload()
        payload.transactionId = TransactionId(transactionId(period))
        payload.originalTransactionId = OriginalTransactionId(id)
        payload.webOrderLineItemId = WebOrderLineItemId("6\(transactionId(period))")
        payload.bundleId = BundleId(bundleId)
        payload.productId = ProductId(product)
        payload.purchaseDate = start(period)
        payload.originalPurchaseDate = start
        payload.expiresDate = start(period + 1)
        payload.quantity = 1
        payload.type = Raw(.autoRenewableSubscription)
        payload.inAppOwnershipType = Raw(.purchased)
        payload.signedDate = signed
        payload.environment = environment.map { Raw($0) }
        payload.storefront = storefront
        payload.transactionReason = Raw(period == 0 ? .purchase : .renewal)
        payload.price = 9990
        payload.currency = "USD"
        payload.appAccountToken = appAccountToken
        return payload
    }

    package func renewal(_ period: Int, willRenew: Bool = true, signed: Timestamp) -> RenewalPayload
    {
        var payload = RenewalPayload()
        payload.originalTransactionId = OriginalTransactionId(id)
        payload.productId = ProductId(product)
        payload.autoRenewProductId = ProductId(product)
        payload.autoRenewStatus = Raw(willRenew ? .on : .off)
        payload.renewalDate = start(period + 1)
        payload.environment = environment.map { Raw($0) }
        payload.signedDate = signed
        return payload
    }

    package func notification(
        _ type: NotificationType, _ subtype: Subtype? = nil, _ period: Int, at signed: Timestamp,
        willRenew: Bool = true, status: SubscriptionStatus = .active
    ) -> MadeDelivery {
        var payload = NotificationPayload()
        payload.notificationType = Raw(type)
        payload.subtype = subtype.map { Raw($0) }
        payload.notificationUUID = NotificationUUID(
            "\(id)-\(type.rawValue)-\(period)-\(signed.milliseconds)")
        payload.version = "2.0"
        payload.signedDate = signed
        var data = NotificationData()
        data.environment = environment.map { Raw($0) }
        data.bundleId = BundleId(bundleId)
        data.appAppleId = MadeChain.appAppleId
        data.status = Raw(status)
        payload.data = data
        return MadeDelivery(
            receivedAt: signed.advanced(byMilliseconds: 1_000),
            evidence: .notification(
                payload, transaction(period, signed: signed),
                renewal(period, willRenew: willRenew, signed: signed)))
    }

    // MARK: Deliveries

    package func bought() -> MadeDelivery {
        notification(
            .subscribed, .initialBuy, 0, at: start.advanced(byMilliseconds: 3_000))
    }

    package func renewed(_ period: Int) -> MadeDelivery {
        notification(.didRenew, nil, period, at: start(period).advanced(byMilliseconds: 5_000))
    }

    /// Auto-renew turned off ten days into the period.
    package func turnedOff(_ period: Int) -> MadeDelivery {
        notification(
            .didChangeRenewalStatus, .autoRenewDisabled, period,
            at: start(period).advanced(byMilliseconds: 10 * 86_400_000), willRenew: false)
    }

    package func expired(_ period: Int) -> MadeDelivery {
        notification(
            .expired, .voluntary, period,
            at: start(period + 1).advanced(byMilliseconds: 30_000), willRenew: false,
            status: .expired)
    }

    /// Bought, renewed once, turned off, expired.
    package var life: [MadeDelivery] { [bought(), renewed(1), turnedOff(1), expired(1)] }
}

/// A delivery that can sign itself.
package struct MadeDelivery: Sendable {
    package var receivedAt: Timestamp
    package var evidence: Delivery.Evidence

    package init(receivedAt: Timestamp, evidence: Delivery.Evidence) {
        self.receivedAt = receivedAt
        self.evidence = evidence
    }

    /// A line with its receivedAt.
    package func line() throws -> [UInt8] {
        try TestAuthority.signer.line(
            Delivery(ordinal: 0, receivedAt: receivedAt, evidence: evidence))
    }

    /// The compact JWS alone.
    package func token() throws -> String {
        let line = try JSONValue.parse(line())
        return line["signedPayload"]?.string ?? line["signedTransactionInfo"]?.string ?? ""
    }

    package func with(_ change: (inout NotificationPayload) -> Void) -> MadeDelivery {
        guard case .notification(var payload, let transaction, let renewal) = evidence else {
            return self
        }
        change(&payload)
        var changed = self
        changed.evidence = .notification(payload, transaction, renewal)
        return changed
    }

    package func withTransaction(_ change: (inout TransactionPayload) -> Void) -> MadeDelivery {
        guard case .notification(let payload, var transaction?, let renewal) = evidence else {
            return self
        }
        change(&transaction)
        var changed = self
        changed.evidence = .notification(payload, transaction, renewal)
        return changed
    }
}
