import AppStore

/// Completes what receipts say of a transaction. A receipt has no field for a price, a storefront or
/// a reason; that it does not state them is no statement, so they are taken from the most trusted,
/// then newest, statement about the same transaction that has them. Signed transactions are left as
/// they are: what they do not state is not so.
enum CompletedSnapshots {
    static func complete(_ ordered: [Fact]) -> [Fact] {
        guard ordered.contains(where: { isPartial($0) && $0.statedTransaction != nil }) else {
            return ordered
        }
        let starts = ordered.compactMap { $0.statedTransaction?.purchaseDate }
        var statements: [TransactionId: [Int]] = [:]
        for index in ordered.indices {
            guard let id = ordered[index].statedTransaction?.transactionId else { continue }
            statements[id, default: []].append(index)
        }
        return ordered.indices.map { index in
            let fact = ordered[index]
            guard isPartial(fact), let snapshot = fact.transaction else { return fact }
            let others = statements[snapshot.transactionId] ?? []
            var completed = fact
            var whole = snapshot.completed(by: donors(others, index, ordered))
            // Only app receipts cannot say so, and an upgrade is never taken back; but nobody who is
            // believed less can say it for them.
            whole.isUpgraded =
                whole.isUpgraded
                || others.contains { other in
                    ordered[other].trust >= fact.trust
                        && ordered[other].statedTransaction?.isUpgraded == true
                }
            // A period that ends in the second in which the next one begins ends where that begins.
            for start in starts { whole.expiresDate = whole.expiresDate.refined(by: start) }
            completed.transaction = whole
            return completed
        }
    }

    /// Whether a fact is of a form that cannot state everything.
    static func isPartial(_ fact: Fact) -> Bool { fact.cause.kind.mayNameSeveralChains }

    /// The other statements, the most believed first: whole ones before partial ones.
    private static func donors(
        _ others: [Int], _ index: Int, _ facts: [Fact]
    ) -> [TransactionSnapshot] {
        others.filter { $0 != index }.sorted { left, right in
            let (one, two) = (facts[left], facts[right])
            if isPartial(one) != isPartial(two) { return isPartial(two) }
            if one.trust != two.trust { return one.trust > two.trust }
            // Facts are in order of their dates.
            return left > right
        }.compactMap { facts[$0].transaction }
    }
}

extension TransactionSnapshot {
    /// With what it has no field for, as the first of `others` that has it states it.
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
            if whole.offer?.discountType == nil, let offer = other.offer { whole.offer = offer }
            // Receipts write whole seconds.
            whole.purchaseDate = whole.purchaseDate.refined(by: other.purchaseDate)
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
    /// A date of whole seconds, to the millisecond, where another names one of the same second.
    fileprivate func refined(by other: Timestamp?) -> Timestamp? {
        guard let self, let other, self.milliseconds % 1_000 == 0, self.milliseconds > 0,
            self.milliseconds / 1_000 == other.milliseconds / 1_000
        else { return self }
        return other
    }
}
