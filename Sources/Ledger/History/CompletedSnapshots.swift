import AppStore

/// Completes transactions stated by receipts. A receipt has no field for a price, a storefront or a
/// reason; their absence is not a statement, so they are taken from the most trusted, then newest,
/// statement about the same transaction that has them. Signed transactions are not completed:
/// a field absent from them is absent.
///
/// In the last billing period of a commitment that will not continue, auto-renew is off, whatever
/// the status of its billing periods.
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
        let isCommitted = ordered.contains { $0.statedRenewal?.commitmentWillRenew == false }
        if isCommitted { endCommitments() }
    }

    /// Turns auto-renew off where a commitment will not continue, in renewal infos whose
    /// `renewalDate` ends its last billing period: the transaction beside one may be older.
    private mutating func endCommitments() {
        let ends = Set(
            facts.flatMap { fact -> [Timestamp] in
                guard let snapshot = fact.statedTransaction, let terms = snapshot.commitment,
                    let number = terms.billingPeriodNumber, number == terms.totalBillingPeriods
                else { return [] }
                // The transaction beside an extension may still state the end before it.
                let isExtension = fact.cause.notificationType?.value == .renewalExtended
                let extended = isExtension ? fact.statedRenewal?.renewalDate : nil
                return [snapshot.expiresDate, extended].compactMap(\.self)
            })
        for index in facts.indices {
            guard let renewal = facts[index].statedRenewal, renewal.willRenew == true,
                renewal.commitmentWillRenew == false, let end = renewal.renewalDate,
                ends.contains(end)
            else { continue }
            facts[index].renewal?.autoRenewStatus = Raw(.off)
        }
    }

    private mutating func complete(_ ordered: [Fact]) {
        let starts = CompletedSnapshots.starts(ordered)
        let purchases = CompletedSnapshots.purchases(ordered)
        var statements: [TransactionId: [Int]] = [:]
        for index in ordered.indices {
            guard let id = ordered[index].statedTransaction?.transactionId else { continue }
            statements[id, default: []].append(index)
        }
        // Transactions are completed independently, so the order does not matter.
        for about in statements.values {
            complete(
                about.sorted { CompletedSnapshots.precedes($0, $1, ordered) }, ordered, starts,
                purchases)
        }
    }

    /// Completes the statements about one transaction, in the order in which donors are tried.
    ///
    /// Every body states all purchases of a customer again, so a transaction has as many statements
    /// as there are bodies; one that only repeats the one before has the same donors, and is not
    /// completed again.
    private mutating func complete(
        _ about: [Int], _ ordered: [Fact], _ starts: [Int64: Timestamp],
        _ purchases: [Int64: [ProductId: Trust]]
    ) {
        var before: Int?
        for index in about {
            guard CompletedSnapshots.isPartial(ordered[index]) else {
                facts[index] = CompletedSnapshots.withTrialStatement(index, about, ordered)
                continue
            }
            if let before, CompletedSnapshots.isRepeated(before, index, ordered) {
                var repeated = facts[before].transaction
                repeated?.signedDate = ordered[index].statedTransaction?.signedDate
                facts[index].transaction = repeated
                borrowedTokens[index] = borrowedTokens[before]
                if retyped.contains(before) { retyped.insert(index) }
            } else {
                complete(index, about, ordered, starts, purchases)
            }
            before = index
        }
    }

    private mutating func complete(
        _ index: Int, _ about: [Int], _ ordered: [Fact], _ starts: [Int64: Timestamp],
        _ purchases: [Int64: [ProductId: Trust]]
    ) {
        let fact = ordered[index]
        guard let snapshot = fact.transaction else { return }
        let donors = about.filter { $0 != index }
        var whole = snapshot.completed(by: donors.compactMap { ordered[$0].transaction })
        whole.completeOffer(by: donors.map { ordered[$0] }, trust: fact.trust)
        // Transactions with one webOrderLineItemId are joined: a lower rank must not cause that.
        if snapshot.webOrderLineItemId == nil {
            whole.webOrderLineItemId =
                donors.lazy.filter { ordered[$0].trust >= fact.trust }
                .compactMap { ordered[$0].statedTransaction?.webOrderLineItemId }.first
        }
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
            || CompletedSnapshots.isUpgraded(snapshot, index, about, ordered, purchases)
        // A period that ends in the second in which the next one begins ends at that start.
        if let end = whole.expiresDate {
            whole.expiresDate = end.refined(by: starts[end.wholeSeconds])
        }
        facts[index].transaction = whole
    }

    /// Whether a statement has the content of another one, whatever its date, and is completed as
    /// that one is.
    private static func isRepeated(_ one: Int, _ other: Int, _ facts: [Fact]) -> Bool {
        guard facts[one].trust == facts[other].trust,
            facts[one].cause.kind == facts[other].cause.kind,
            let before = facts[one].statedTransaction, let stated = facts[other].statedTransaction
        else { return false }
        if before.signedDate == stated.signedDate { return before == stated }
        var content = before.value
        content.signedDate = stated.signedDate
        return content == stated.value
    }

    /// The start of a purchase in each second in which one was made: of several the first in order.
    /// A start in whole seconds is as coarse as the end that it would refine, and is left out.
    static func starts(_ facts: [Fact]) -> [Int64: Timestamp] {
        var starts: [Int64: Timestamp] = [:]
        for fact in facts {
            guard let start = fact.statedTransaction?.purchaseDate,
                start.milliseconds % 1_000 != 0, starts[start.wholeSeconds] == nil
            else { continue }
            starts[start.wholeSeconds] = start
        }
        return starts
    }

    /// A signed transaction with neither discount type nor price does not state whether its offer
    /// was free; a receipt's statement about the same transaction is used.
    private static func withTrialStatement(
        _ index: Int, _ about: [Int], _ ordered: [Fact]
    ) -> Fact {
        let fact = ordered[index]
        guard let stated = fact.statedTransaction, stated.offer != nil,
            stated.offer?.discountType == nil, stated.price == nil
        else { return fact }
        let others = about.lazy.filter { $0 != index }
        let isTrial = others.compactMap { ordered[$0].statedTransaction?.isTrialPeriod }.first
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

    /// Whether a purchase in a receipt was upgraded: as a statement of at least its trust says (an
    /// upgrade is never reversed), else if another product was bought at its cancellation.
    private static func isUpgraded(
        _ snapshot: TransactionSnapshot, _ index: Int, _ others: [Int], _ facts: [Fact],
        _ purchases: [Int64: [ProductId: Trust]]
    ) -> Bool {
        let trust = facts[index].trust
        let peers = others.filter { facts[$0].trust >= trust }
        if peers.contains(where: { facts[$0].statedTransaction?.isUpgraded == true }) {
            return true
        }
        // A receipt states a cancellation without distinguishing refund from replacement
        // (Receipt fields, cancellation_date). If another product was bought at that time, it was
        // replaced, unless a source that has the field states otherwise.
        guard !statesUpgrades(facts[index]), let date = snapshot.revocationDate,
            !peers.contains(where: { other in
                statesUpgrades(facts[other])
                    && facts[other].statedTransaction?.revocationDate != nil
            })
        else { return false }
        let second = date.wholeSeconds
        return (second - upgradeToleranceSeconds...second + upgradeToleranceSeconds).contains {
            purchases[$0]?.contains { $0.key != snapshot.productId && $0.value >= trust } ?? false
        }
    }

    /// Whether the statement has a field for upgrades. App receipts have none, nor has the receipt
    /// in a verifyReceipt response, whose purchases alone have dates of their own.
    private static func statesUpgrades(_ fact: Fact) -> Bool {
        switch fact.cause.kind {
        case .receipt: false
        case .verifyReceipt: fact.statedTransaction?.signedDate == nil
        default: true
        }
    }

    /// Largest distance between the cancellation of a purchase and the purchase that replaced it.
    static let upgradeToleranceSeconds: Int64 = 60

    /// Whether the fact's format lacks some fields.
    static func isPartial(_ fact: Fact) -> Bool { fact.cause.kind.mayNameSeveralChains }

    /// The order of donors: complete statements before partial ones, then the most trusted, then
    /// the newest.
    private static func precedes(_ left: Int, _ right: Int, _ facts: [Fact]) -> Bool {
        let (one, two) = (facts[left], facts[right])
        if isPartial(one) != isPartial(two) { return isPartial(two) }
        if one.trust != two.trust { return one.trust > two.trust }
        // Facts are ordered by date.
        return left > right
    }
}

extension TransactionSnapshot {
    /// Fills fields that the format lacks from the first of `others` that states them.
    fileprivate func completed(by others: [TransactionSnapshot]) -> TransactionSnapshot {
        var whole = self
        for other in others {
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
            // Receipts write whole seconds.
            whole.purchaseDate = whole.purchaseDate?.refined(by: other.purchaseDate)
            whole.originalPurchaseDate = whole.originalPurchaseDate?.refined(
                by: other.originalPurchaseDate)
            whole.expiresDate = whole.expiresDate?.refined(by: other.expiresDate)
            whole.revocationDate = whole.revocationDate?.refined(by: other.revocationDate)
        }
        if whole.revocationDate != nil {
            let same = others.first { $0.revocationDate == whole.revocationDate }
            whole.revocationReason = whole.revocationReason ?? same?.revocationReason
            whole.revocationType = whole.revocationType ?? same?.revocationType
            whole.revocationPercentage = whole.revocationPercentage ?? same?.revocationPercentage
        }
        return whole
    }

    /// Takes the offer that a signed transaction states, else the first one stated that completes
    /// its own: any where it states none, else one of the same type that has the discount type.
    ///
    /// - Parameter others: in the order in which donors are tried.
    fileprivate mutating func completeOffer(by others: [Fact], trust: Trust) {
        for other in others {
            guard let known = other.statedTransaction, let stated = known.offer else { continue }
            if !CompletedSnapshots.isPartial(other), other.trust >= trust {
                offer = stated
                // Else the signed transaction does not state whether it was free.
                if stated.discountType != nil || known.price != nil { isTrialPeriod = nil }
                return
            }
            if isTrialPeriod == false, stated.discountType?.value == .freeTrial { continue }
            if let offer {
                guard offer.discountType == nil, stated.discountType != nil,
                    offer.type == stated.type, other.trust >= trust
                else { continue }
            }
            offer = stated
            return
        }
    }
}

extension Timestamp {
    /// Refines a date in whole seconds to the milliseconds of another date in the same second.
    func refined(by other: Timestamp?) -> Timestamp {
        guard let other, milliseconds % 1_000 == 0, milliseconds > 0, isSameSecond(as: other)
        else { return self }
        return other
    }
}
