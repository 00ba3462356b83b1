import AppStore
import Ledger
import TestSupport

/// Random facts of any kind in any order, often contradictory, sometimes with dates at the limits
/// of their range. The same seed gives the same facts.
struct RandomLife {
    private var numbers: SeededNumbers
    /// Whether to include dates of hostile payloads.
    private let isHostile: Bool

    static func facts(seed: UInt64, count: Int, isHostile: Bool = false) -> [Fact] {
        var life = RandomLife(numbers: SeededNumbers(seed: seed), isHostile: isHostile)
        return numbered((0..<count).map { _ in life.fact() })
    }

    private mutating func moment() -> Timestamp {
        if isHostile, numbers.chance(20) {
            let edges: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
            return Timestamp(milliseconds: numbers.pick(edges))
        }
        // A coarse grid makes ties and touching periods frequent.
        return day(Int64(numbers.below(40)) * 5, numbers.chance(20) ? 1 : 0)
    }

    private mutating func fact() -> Fact {
        let isNotification = numbers.chance(60)
        var fact = Fact.reported(
            isNotification ? .notification : numbers.pick([.transaction, .renewalPair]),
            at: numbers.chance(2) ? nil : moment())
        if isNotification {
            fact.cause.notificationType = Raw(numbers.pick(NotificationType.allCases))
            if numbers.chance(60) { fact.cause.subtype = Raw(numbers.pick(Subtype.allCases)) }
        }
        if numbers.chance(20) { fact.status = Raw(rawValue: Int64(numbers.below(7))) }
        if numbers.chance(70) { fact.transaction = transaction() }
        if numbers.chance(50) { fact.renewal = renewal() }
        if numbers.chance(20) { fact.trust = numbers.pick(Trust.allCases) }
        if numbers.chance(3) { fact.flaw = .undecodable }
        if numbers.chance(3) { fact.unknownValues = ["status"] }
        fact.digest = Digest(words: (numbers.next(), numbers.next(), 0, 0))
        fact.receivedAt = (fact.signedDate ?? origin)
            .advanced(byMilliseconds: Int64(numbers.below(20)) * minute)
        return fact
    }

    private mutating func transaction() -> TransactionSnapshot {
        let number = numbers.below(6) + 1
        let start = numbers.chance(70) ? day(Int64(number - 1) * 30) : moment()
        let end =
            numbers.chance(70) ? start.advanced(byMilliseconds: 30 * dayLength) : moment()
        var snapshot = TransactionSnapshot.period("\(number)", start, end)
        snapshot.productId = numbers.pick([ProductId("a"), ProductId("b"), nil])
        if numbers.chance(30) {
            snapshot.webOrderLineItemId = WebOrderLineItemId(numbers.pick(["0", "w", "x"]))
        }
        if numbers.chance(20) { snapshot.revocationDate = moment() }
        if numbers.chance(10) {
            snapshot.revocationType = Raw(numbers.pick(RevocationType.allCases))
        }
        if numbers.chance(10) { snapshot.isUpgraded = true }
        if numbers.chance(50) {
            snapshot.transactionReason = Raw(numbers.pick(TransactionReason.allCases))
        }
        if numbers.chance(20) { snapshot.signedDate = moment() }
        if numbers.chance(20) { snapshot.originalPurchaseDate = moment() }
        if numbers.chance(20) { snapshot.appAccountToken = numbers.pick(["a", "B", "b"]) }
        if numbers.chance(10) { snapshot.billingPlanType = Raw(.monthly) }
        if numbers.chance(5) { snapshot.type = Raw(numbers.pick(ProductType.allCases)) }
        if numbers.chance(2) { snapshot.expiresDate = nil }
        return snapshot
    }

    private mutating func renewal() -> RenewalSnapshot {
        var snapshot = RenewalSnapshot()
        snapshot.productId = numbers.pick([ProductId("a"), ProductId("b"), nil])
        snapshot.autoRenewProductId = numbers.pick([ProductId("a"), ProductId("b"), nil])
        if numbers.chance(80) { snapshot.autoRenewStatus = Raw(numbers.pick([.on, .off])) }
        if numbers.chance(20) {
            snapshot.expirationIntent = Raw(rawValue: Int64(numbers.below(7)))
        }
        if numbers.chance(30) { snapshot.isInBillingRetryPeriod = numbers.chance(50) }
        if numbers.chance(30) { snapshot.gracePeriodExpiresDate = moment() }
        if numbers.chance(20) {
            snapshot.priceIncreaseStatus = Raw(rawValue: Int64(numbers.below(3)))
        }
        if numbers.chance(30) { snapshot.renewalDate = moment() }
        if numbers.chance(20) { snapshot.signedDate = moment() }
        return snapshot
    }
}
