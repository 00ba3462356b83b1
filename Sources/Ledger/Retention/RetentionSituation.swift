import AppStore

/// The properties of a subscription that a retention rule tests when its customer is about to
/// cancel (`Service.md`, Retention messages).
public struct RetentionSituation: Hashable, Sendable {
    public var bundleId: BundleId
    public var environment: Environment
    /// The product the customer sees, as Apple's request names it.
    public var productId: ProductId?
    /// The locale of the device.
    public var locale: String?
    public var phase: ChainAnswer.Phase = .standard
    /// Whole days since the subscription began, pauses included.
    public var tenureDays: Int64
    /// Of the governing period.
    public var price: Money?
    /// Refunded transactions; not those whose refund was reversed.
    public var refunds: Int64
    /// How often auto-renew was turned off.
    public var cancellations: Int64

    public init(
        bundleId: BundleId, environment: Environment, productId: ProductId? = nil,
        locale: String? = nil, tenureDays: Int64 = 0, price: Money? = nil, refunds: Int64 = 0,
        cancellations: Int64 = 0
    ) {
        self.bundleId = bundleId
        self.environment = environment
        self.productId = productId
        self.locale = locale
        self.tenureDays = tenureDays
        self.price = price
        self.refunds = refunds
        self.cancellations = cancellations
    }
}

extension Lifecycle {
    /// The situation at a moment; nil before the first period, and for a one-time purchase.
    ///
    /// - Parameters:
    ///   - time: the moment, as known now.
    ///   - request: app, environment, product and locale of the request.
    public func situation(
        at time: Timestamp, of request: RetentionSituation
    ) -> RetentionSituation? {
        guard !isOneTime, let answer = answer(at: time, now: time),
            let known = intervals.first?.from
        else { return nil }
        // Of an adopted subscription the first period is not known, but its date is stated.
        let stated = history.facts.facts.lazy.compactMap {
            $0.statedTransaction?.originalPurchaseDate
        }.min()
        let start = min(known, stated ?? known)
        var found = request
        found.productId = request.productId ?? answer.productId
        found.phase = answer.phase
        found.tenureDays = max(0, time.milliseconds(since: start)) / 86_400_000
        found.price = answer.price
        found.refunds = Int64(
            history.periods.count { period in
                period.spans.contains { $0.isRefund && $0.contains(time) }
            })
        found.cancellations = Int64(
            timelineEvents.count { $0.name == .autoRenewDisabled && $0.at <= time })
        return found
    }
}
