package import AppStore

/// Writes one life: decides what customer and Apple do, keeps Apple's books, signs what Apple would
/// send, and records the truth of each decision as it is made.
///
/// Time only moves forward. Where Apple's signing date itself ends a state (`Lifecycle.md` §2
/// rule 5), payload and truth come from one decision.
package struct LifeWriter: Sendable {
    let world: SubscriberWorld
    let seed: UInt64
    package let traits: LifeTraits
    var random: SeededGenerator
    /// Separate generator for ids and small delays, so that they do not affect events.
    var details: SeededGenerator
    /// Separate generator for renewals replaced before they begin: lives without one do not change.
    var replacements: SeededGenerator
    /// At least the time of the newest signature.
    var now: Timestamp
    package var periods: [SimulatedPeriod] = []
    var renewal: SimulatedRenewal
    var truth = TruthLine()
    var deliveries: [Delivery] = []
    var losses: [LossRecord] = []
    var refunds: [RefundRecord] = []
    /// The content of each signed renewal info, in order.
    package var statements: [RenewalStatement] = []
    /// The time from which ends of periods are counted.
    var anchor: Timestamp
    var anchorPeriod = ISO8601Period()
    var anchorCount: Int64 = 0
    /// Renewals since the last purchase, which the sandbox limits.
    var renewalsInRow = 0
    private var transactionCount = 0

    /// What one renewal info states about renewing.
    package struct RenewalStatement: Sendable {
        let ordinal: Int
        package let at: Timestamp
        package let willRenew: Bool
        package let next: ProductId
        package let priceIncrease: PriceIncreaseStatus?
        /// Whether another notification of the same millisecond may state something else.
        package let isExact: Bool

        /// The reason why a period that ends by the clock ended, according to this (`Lifecycle.md`
        /// §2, reasons).
        var reason: TrueReason {
            if willRenew { return .unconfirmed }
            return priceIncrease == .customerHasNotResponded ? .priceIncrease : .voluntary
        }
    }

    init(world: SubscriberWorld, seed: UInt64) {
        self.world = world
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        details = SeededGenerator(seed: random.next())
        replacements = SeededGenerator(seed: ~seed)
        traits = LifeTraits(&random)
        let bounds = world.firstPurchases
        now = Timestamp(
            milliseconds: random.within(
                bounds.lowerBound.milliseconds...bounds.upperBound.milliseconds))
        anchor = now
        renewal = SimulatedRenewal(nextProduct: random.pick(SimulatedProduct.renewable))
        self.random = random
        if traits.isCommitment { renewal.nextProduct = .commitment }
    }

    var current: Int { periods.count - 1 }
    var currentPeriod: SimulatedPeriod { periods[periods.count - 1] }
    var end: Timestamp { currentPeriod.end }
    var isRevoked: Bool { currentPeriod.revocation != nil }

    /// How long before a period's end facts already describe the next one (`Lifecycle.md` §2 rule
    /// 5).
    var lead: Int64 { min(Pace.day, currentPeriod.length / 2) }

    /// A short time on the scale of the current period: seconds to two hours.
    mutating func shortly() -> Int64 {
        let most = min(2 * Pace.hour, currentPeriod.length / 40)
        return random.within(min(2000, most)...max(2000, most))
    }

    mutating func newTransactionId() -> TransactionId {
        transactionCount += 1
        let number = String(transactionCount)
        let zeros = String(repeating: "0", count: max(0, 5 - number.utf8.count))
        return TransactionId("2\(seed)\(zeros)\(number)")
    }

    /// Sets the time from which ends of periods are counted.
    mutating func setAnchor(_ moment: Timestamp, _ period: ISO8601Period) {
        anchor = moment
        anchorPeriod = period
        anchorCount = 0
    }

    mutating func nextEnd(_ start: Timestamp, _ period: ISO8601Period) -> Timestamp {
        let isContinued =
            period == anchorPeriod
            && traits.pace.end(of: period, count: anchorCount, from: anchor) == start
        if !isContinued { setAnchor(start, period) }
        anchorCount += 1
        return traits.pace.end(of: period, count: anchorCount, from: anchor)
    }
}

extension LifeWriter {
    /// Generates the whole life, of any kind.
    mutating func live() {
        if traits.pace == .calendar, !traits.isCommitment, random.chance(8) {
            liveOneTime()
            return
        }
        firstPurchase()
        let longest = traits.isCommitment ? 16 : 2 + random.below(12)
        for _ in 0..<longest {
            if liveInside() { continue }
            if end >= world.horizon { break }
            guard endPeriod() else { return }
        }
        // The observation ends here: the last period ends by the clock.
        endSilently()
    }

    consuming func finished() -> SubscriberLife {
        SubscriberLife(
            seed: seed, environment: traits.pace.environment,
            originalTransactionId: OriginalTransactionId(
                periods[0].transactionIds[0].rawValue),
            deliveries: deliveries, truth: truth.intervals(identities), written: self)
    }

    /// Product and transaction of each period: the purchase, not a restored copy of it.
    var identities: [(ProductId, TransactionId)] {
        periods.map { ($0.product.productId, $0.transactionIds[0]) }
    }
}
