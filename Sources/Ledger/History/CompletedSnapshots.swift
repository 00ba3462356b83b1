import AppStore

/// Completes transactions stated by receipts. A receipt has no field for a price, a storefront or a
/// reason; their absence is not a statement, so they are taken from the most trusted, then newest,
/// statement about the same transaction that has them. Signed transactions are not completed:
/// a field absent from them is absent.
struct CompletedSnapshots {
    private(set) var facts: [Fact]
    /// Facts whose appAccountToken was taken from another fact, with the latter's trust.
    private(set) var borrowedTokens: [Int: Trust] = [:]
    /// Receipts that state a different product type than a signed transaction, which takes
    /// precedence.
    private(set) var retyped: Set<Int> = []

    init(_ ordered: [Fact]) {
        facts = ordered
        let isAnyPartial = ordered.contains { fact in
            CompletedSnapshots.isPartial(fact) && fact.statedTransaction != nil
        }
        if isAnyPartial { complete(ordered) }
    }

    private mutating func complete(_ ordered: [Fact]) {
        let starts = ordered.compactMap { $0.statedTransaction?.purchaseDate }
        let purchases = CompletedSnapshots.purchases(ordered)
        var statements: [TransactionId: [Int]] = [:]
        for index in ordered.indices {
            guard let id = ordered[index].statedTransaction?.transactionId else { continue }
            statements[id, default: []].append(index)
        }
        for index in ordered.indices {
            let fact = ordered[index]
            guard CompletedSnapshots.isPartial(fact), let snapshot = fact.transaction else {
                facts[index] = CompletedSnapshots.withTrialStatement(
                    fact, index, statements, ordered)
                continue
            }
            let others = statements[snapshot.transactionId] ?? []
            let donors = CompletedSnapshots.donors(others, index, ordered)
            var whole = snapshot.completed(by: donors.compactMap { ordered[$0].transaction })
            if snapshot.appAccountToken == nil {
                borrowedTokens[index] =
                    donors.first { ordered[$0].statedTransaction?.appAccountToken != nil }
                    .map { ordered[$0].trust }
            }
            let signed = donors.first { other in
                !CompletedSnapshots.isPartial(ordered[other]) && ordered[other].trust >= fact.trust
                    && ordered[other].statedTransaction?.type != nil
            }.flatMap { ordered[$0].transaction }
            if let signed, signed.type != whole.type {
                whole.type = signed.type
                whole.expiresDate = whole.expiresDate ?? signed.expiresDate
                retyped.insert(index)
            }
            whole.isUpgraded =
                whole.isUpgraded
                || CompletedSnapshots.isUpgraded(snapshot, index, others, ordered, purchases)
            // A period that ends in the second in which the next one begins ends at that start.
            for start in starts { whole.expiresDate = whole.expiresDate.refined(by: start) }
            facts[index].transaction = whole
        }
    }

    /// A signed transaction with neither discount type nor price does not state whether its offer
    /// was free; a receipt's statement about the same transaction is used.
    private static func withTrialStatement(
        _ fact: Fact, _ index: Int, _ statements: [TransactionId: [Int]], _ ordered: [Fact]
    ) -> Fact {
        guard let stated = fact.statedTransaction, stated.offer != nil,
            stated.offer?.discountType == nil, stated.price == nil
        else { return fact }
        let others = donors(statements[stated.transactionId] ?? [], index, ordered)
        let isTrial = others.lazy.compactMap { ordered[$0].statedTransaction?.isTrialPeriod }.first
        guard let isTrial else { return fact }
        var completed = fact
        completed.transaction?.isTrialPeriod = isTrial
        return completed
    }

    // MARK: Upgrades

    /// The products bought in each second, with the highest trust of each.
    private static func purchases(_ facts: [Fact]) -> [Int64: [ProductId: Trust]] {
        var purchases: [Int64: [ProductId: Trust]] = [:]
        for fact in facts {
            guard let bought = fact.statedTransaction, let product = bought.productId,
                let date = bought.purchaseDate
            else { continue }
            let second = date.wholeSeconds
            let known = purchases[second]?[product] ?? fact.trust
            purchases[second, default: [:]][product] = max(known, fact.trust)
        }
        return purchases
    }

    /// Only app receipts lack the field, and an upgrade is never reversed; but statements of lower
    /// trust cannot supply it.
    private static func isUpgraded(
        _ snapshot: TransactionSnapshot, _ index: Int, _ others: [Int], _ facts: [Fact],
        _ purchases: [Int64: [ProductId: Trust]]
    ) -> Bool {
        let trust = facts[index].trust
        let peers = others.filter { facts[$0].trust >= trust }
        if peers.contains(where: { facts[$0].statedTransaction?.isUpgraded == true }) {
            return true
        }
        // An app receipt states a cancellation without distinguishing refund from replacement
        // (Receipt fields, cancellation_date). If another product was bought at that time, it was
        // replaced, unless a source that has the field states otherwise.
        guard facts[index].cause.kind == .receipt, let date = snapshot.revocationDate,
            !peers.contains(where: { other in
                facts[other].cause.kind != .receipt
                    && facts[other].statedTransaction?.revocationDate != nil
            })
        else { return false }
        let second = date.wholeSeconds
        return (second - upgradeToleranceSeconds...second + upgradeToleranceSeconds).contains {
            purchases[$0]?.contains { $0.key != snapshot.productId && $0.value >= trust } ?? false
        }
    }

    /// Largest distance between the cancellation of a purchase and the purchase that replaced it.
    static let upgradeToleranceSeconds: Int64 = 60

    /// Whether the fact's format lacks some fields.
    static func isPartial(_ fact: Fact) -> Bool { fact.cause.kind.mayNameSeveralChains }

    /// The other statements, highest trust first, complete ones before partial ones.
    private static func donors(
        _ others: [Int], _ index: Int, _ facts: [Fact]
    ) -> [Int] {
        others.filter { $0 != index }.sorted { left, right in
            let (one, two) = (facts[left], facts[right])
            if isPartial(one) != isPartial(two) { return isPartial(two) }
            if one.trust != two.trust { return one.trust > two.trust }
            // Facts are ordered by date.
            return left > right
        }
    }
}

extension TransactionSnapshot {
    /// Fills fields that the format lacks from the first of `others` that states them.
    fileprivate func completed(by others: [TransactionSnapshot]) -> TransactionSnapshot {
        var whole = self
        for other in others {
            whole.webOrderLineItemId = whole.webOrderLineItemId ?? other.webOrderLineItemId
            whole.subscriptionGroupIdentifier =
                whole.subscriptionGroupIdentifier ?? other.subscriptionGroupIdentifier
            whole.originalPurchaseDate = whole.originalPurchaseDate ?? other.originalPurchaseDate
            whole.type = whole.type ?? other.type
            whole.appAccountToken = whole.appAccountToken ?? other.appAccountToken
            whole.inAppOwnershipType = whole.inAppOwnershipType ?? other.inAppOwnershipType
            whole.storefront = whole.storefront ?? other.storefront
            whole.transactionReason = whole.transactionReason ?? other.transactionReason
            if whole.price == nil {
                whole.price = other.price
                whole.currency = other.currency
            }
            whole.billingPlanType = whole.billingPlanType ?? other.billingPlanType
            whole.commitment = whole.commitment ?? other.commitment
            if whole.offer?.discountType == nil, let offer = other.offer,
                isTrialPeriod != false || offer.discountType?.value != .freeTrial
            {
                whole.offer = offer
            }
            // Receipts write whole seconds.
            whole.purchaseDate = whole.purchaseDate.refined(by: other.purchaseDate)
            whole.originalPurchaseDate = whole.originalPurchaseDate.refined(
                by: other.originalPurchaseDate)
            whole.expiresDate = whole.expiresDate.refined(by: other.expiresDate)
            whole.revocationDate = whole.revocationDate.refined(by: other.revocationDate)
        }
        if whole.revocationDate != nil {
            let same = others.first { $0.revocationDate == whole.revocationDate }
            whole.revocationReason = whole.revocationReason ?? same?.revocationReason
            whole.revocationType = whole.revocationType ?? same?.revocationType
            whole.revocationPercentage = whole.revocationPercentage ?? same?.revocationPercentage
        }
        return whole
    }
}

extension Timestamp? {
    /// Refines a date in whole seconds to the milliseconds of another date in the same second.
    fileprivate func refined(by other: Timestamp?) -> Timestamp? {
        guard let self, let other, self.milliseconds % 1_000 == 0, self.milliseconds > 0,
            self.isSameSecond(as: other)
        else { return self }
        return other
    }
}
