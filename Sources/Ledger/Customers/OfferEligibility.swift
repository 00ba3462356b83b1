import AppStore

/// Whether a customer qualifies for an offer, and the events that decide it (`Lifecycle.md` §6,
/// Offers). Pure.
public struct OfferEligibility: Hashable, Sendable {
    /// Why; raw values are part of the contract.
    public let reason: Reason
    /// Positions of the events that decide it, ascending; empty where the absence of events does.
    public let evidence: [Int64]

    /// The condition that a customer must meet.
    public enum Rule: Sendable {
        /// Never had an introductory offer in the group.
        case noIntroductoryOffer
        /// Had a subscription of the group, and has none now.
        case lapsed
    }

    /// What a rule found.
    public enum Reason: String, Sendable, CaseIterable {
        /// No subscription of the group had an introductory offer.
        case noIntroductoryOffer
        case hadIntroductoryOffer
        /// None is known, but a subscription of the group has periods about which nothing is known.
        case historyMissing
        /// Every subscription of the group has ended, at least one of the customer's own purchases
        /// other than by a refund.
        case lapsed
        /// A subscription of the group continues, or Apple still tries to renew it.
        case subscribed
        /// Every subscription of the group was refunded or revoked.
        case revoked
        case neverSubscribed
    }

    /// Whether the customer qualifies for the offer.
    public var isEligible: Bool { reason == .noIntroductoryOffer || reason == .lapsed }

    init(_ reason: Reason, _ evidence: [Int64] = []) {
        self.reason = reason
        self.evidence = evidence.ascending()
    }

    /// Applies a rule to a customer's chains of one app.
    ///
    /// Nil where it depends on a subscription whose group is unknown. `groups` has Apple's group of
    /// products of the app, by every customer's purchases, without products whose group the
    /// catalogue has.
    public static func decide(
        _ rule: Rule, product: ProductId, lives: [Lifecycle], at: Timestamp, catalogue: Catalogue,
        groups: [ProductId: SubscriptionGroupIdentifier] = [:]
    ) -> OfferEligibility? {
        let histories = lives.filter { !$0.isOneTime }
        let group = ProductGroup(of: product, histories.map(\.history), catalogue, groups)
        return switch rule {
        case .noIntroductoryOffer: introductory(histories, group, at)
        case .lapsed: lapsed(histories, group, at, catalogue.leewayMilliseconds)
        }
    }

    private static func introductory(
        _ lives: [Lifecycle], _ group: ProductGroup, _ at: Timestamp
    ) -> OfferEligibility? {
        var evidence: [Int64] = []
        var missing: [Int64] = []
        var isUnclear = false
        for life in lives {
            let history = life.history
            var isInside = false
            // A late copy that no period of its rank contains still shows what was bought.
            let purchases =
                history.periods.map { (at: $0.start, first: $0.firstFact, best: $0.bestFact) }
                + history.apartCopies.map {
                    (at: $0.bought(history.facts), first: $0.firstFact, best: $0.bestFact)
                }
            for purchase in purchases where purchase.at <= at {
                guard let snapshot = history.facts[purchase.best].statedTransaction else {
                    continue
                }
                let contains = group.contains(snapshot)
                if contains != false { isInside = true }
                guard snapshot.isIntroductory else { continue }
                if contains == true {
                    evidence += [purchase.first, purchase.best].map {
                        history.facts[$0].position
                    }
                } else if contains == nil {
                    isUnclear = true
                }
            }
            guard isInside else { continue }
            missing += life.notices.filter { $0.hidesPeriods && $0.from <= at }.flatMap(\.evidence)
        }
        if !evidence.isEmpty { return OfferEligibility(.hadIntroductoryOffer, evidence) }
        guard !isUnclear else { return nil }
        return missing.isEmpty
            ? OfferEligibility(.noIntroductoryOffer) : OfferEligibility(.historyMissing, missing)
    }

    private static func lapsed(
        _ lives: [Lifecycle], _ group: ProductGroup, _ at: Timestamp, _ leeway: Int64
    ) -> OfferEligibility? {
        var found: [Reason: [Int64]] = [:]
        var unclear: Set<Reason> = []
        for life in lives {
            let history = life.history
            guard let index = history.interval(at: at) else { continue }
            let interval = history.intervals[index]
            let period = history.periods[interval.period]
            guard let snapshot = history.facts[period.bestFact].statedTransaction else { continue }
            // The end of a chain that gives no access, or that another customer paid for, is no
            // reason for an offer.
            let reason = Reason(interval, at: at, leeway: leeway)
            let isReliable = life.meetsMinimumTrust && snapshot.ownership.isOwnPurchase
            guard reason == .subscribed || isReliable else { continue }
            guard let isInside = group.contains(snapshot) else {
                unclear.insert(reason)
                continue
            }
            guard isInside else { continue }
            let positions = [period.firstFact, period.bestFact, period.endFact].map {
                history.facts[$0].position
            }
            found[reason, default: []] += positions + interval.proof.positions(history.facts)
        }
        if let evidence = found[.subscribed] { return OfferEligibility(.subscribed, evidence) }
        guard !unclear.contains(.subscribed) else { return nil }
        if let evidence = found[.lapsed] { return OfferEligibility(.lapsed, evidence) }
        guard unclear.isEmpty else { return nil }
        return OfferEligibility(
            found[.revoked] == nil ? .neverSubscribed : .revoked, found[.revoked] ?? [])
    }
}

extension OfferEligibility.Reason {
    /// A subscription that expired by the clock alone counts as subscribed during the leeway: its
    /// renewal may be late.
    fileprivate init(_ interval: Interval, at: Timestamp, leeway: Int64) {
        switch interval.state {
        case .expired:
            let isLate =
                interval.reason == .unconfirmed
                && at < interval.from.advanced(byMilliseconds: leeway)
            self = isLate ? .subscribed : .lapsed
        case .revoked: self = .revoked
        case .subscribed, .renewing, .grace, .billingRetry, .owned, .lapsed, .consumed:
            self = .subscribed
        }
    }
}

/// The subscription group of a product: the catalogue's, and Apple's as a customer's transactions
/// state it, or else every customer's.
private struct ProductGroup {
    private let product: ProductId
    private let name: String?
    private let ids: Set<SubscriptionGroupIdentifier>
    private let catalogue: Catalogue
    private let groups: [ProductId: SubscriptionGroupIdentifier]

    init(
        of product: ProductId, _ histories: [History], _ catalogue: Catalogue,
        _ groups: [ProductId: SubscriptionGroupIdentifier]
    ) {
        let name = catalogue.products[product]?.group
        var ids: Set<SubscriptionGroupIdentifier> = []
        for history in histories {
            for period in history.periods {
                guard let snapshot = history.facts[period.bestFact].statedTransaction,
                    let other = snapshot.productId, let id = snapshot.subscriptionGroupIdentifier
                else { continue }
                let isNamed = name != nil && catalogue.products[other]?.group == name
                if other == product || isNamed { ids.insert(id) }
            }
        }
        if ids.isEmpty, let id = groups[product] { ids = [id] }
        (self.product, self.name, self.ids, self.catalogue) = (product, name, ids, catalogue)
        self.groups = groups
    }

    /// Whether a transaction is of the group; nil if neither the catalogue nor the transactions
    /// state it.
    func contains(_ snapshot: Shared<TransactionSnapshot>) -> Bool? {
        guard let other = snapshot.productId else { return nil }
        if other == product { return true }
        if let name, let named = catalogue.products[other]?.group { return named == name }
        guard let id = snapshot.subscriptionGroupIdentifier ?? groups[other] else { return nil }
        if id.rawValue == name { return true }
        return ids.isEmpty ? nil : ids.contains(id)
    }
}

extension History {
    /// Copies, restored at or after their end, of which no period of at least their rank states the
    /// purchase: those of a higher rank than their period, and those of unknown purchases
    /// (`Lifecycle.md` §2 rules 2 and 4).
    fileprivate var apartCopies: [TransactionRecord] {
        func item(_ fact: Int) -> WebOrderLineItemId? {
            facts[fact].statedTransaction?.webOrderLineItemId
        }
        let known = Set(periods.compactMap { item($0.bestFact) }.filter(\.isNamed))
        let (counted, higher) = (periodIndices, Set(periods.flatMap(\.late)))
        return records.indices.filter { index in
            let record = records[index]
            return higher.contains(index)
                || record.isLate(facts) && counted[record.transactionId] == nil
                    && !(item(record.bestFact).map(known.contains) ?? false)
        }.map { records[$0] }
    }
}

extension Notice {
    /// Whether a purchase may be missing from what is known of the chain.
    fileprivate var hidesPeriods: Bool {
        [.historyMissingBefore, .missingPeriod, .erasedBefore].contains(code)
    }
}

extension TransactionSnapshot {
    /// Whether it was bought with an introductory offer. Receipts of the original StoreKit may
    /// state only that it is a free trial.
    fileprivate var isIntroductory: Bool {
        if let type = offer?.type { return type.value == .introductoryOffer }
        return isTrialPeriod == true || offer?.discountType?.value == .freeTrial
    }
}
