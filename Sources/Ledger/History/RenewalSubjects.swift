import AppStore

/// What each renewal snapshot is about (`lifecycle.md` §2, "Renewal infos"): a period, and the
/// purchase it goes back to. What auto-renew was says nothing about a purchase made after the end.
struct RenewalSubjects: Sendable {
    /// Of each period, the index of the one that was bought; those after it are its renewals.
    private(set) var first: [Int] = []
    /// Of each point in `facts.renewals`, the index of its period; nil where that is not known.
    let subjects: [Int?]

    init(_ facts: OrderedFacts, _ periods: [Period], _ environment: Environment) {
        first.reserveCapacity(periods.count)
        var begun = 0
        subjects = facts.renewals.map { point in
            while begun + 1 < periods.count, periods[begun + 1].start <= point.signedDate {
                begun += 1
            }
            guard begun < periods.count else { return nil }
            if let ahead = RenewalSubjects.signedAhead(point, facts, periods, after: begun) {
                return ahead
            }
            let rule = AfterPeriodRule(
                facts: facts, environment: environment, period: periods[begun], nextStart: nil,
                recoveryFact: nil)
            return rule.isAboutUnknownPeriod(point) ? nil : begun
        }
    }

    /// The period that a renewal info signed before its start came with.
    private static func signedAhead(
        _ point: RenewalPoint, _ facts: OrderedFacts, _ periods: [Period], after begun: Int
    ) -> Int? {
        guard let stated = facts[point.fact].statedTransaction, let start = stated.purchaseDate,
            start > point.signedDate
        else { return nil }
        return periods.indices.dropFirst(begun + 1).first {
            periods[$0].transactionId == stated.transactionId || periods[$0].start == start
        }
    }

    /// Adds the next period: a purchase, or what continues the period before.
    mutating func append(isPurchase: Bool) {
        first.append(isPurchase ? first.count : first.last ?? 0)
    }

    /// Indices into `facts.renewals` of those about the same purchase as a period, oldest first.
    func renewals(of period: Int) -> some BidirectionalCollection<Int> {
        subjects.indices.lazy.filter { index in
            // While the periods are still being added, the later ones are left out.
            subjects[index].map { $0 < first.count && first[$0] == first[period] } ?? false
        }
    }

    /// Why access ended where nothing about the end says so: what auto-renew last was, before the
    /// next period; and the fact that says so.
    func reason(
        _ period: Int, _ facts: OrderedFacts, _ periods: [Period]
    ) -> (reason: EndReason, fact: Int?) {
        let next = period + 1 < periods.count ? periods[period + 1].start : nil
        let newest = renewals(of: period).last { index in
            next.map { facts.renewals[index].signedDate < $0 } ?? true
        }
        guard let fact = newest.map({ facts.renewals[$0].fact }),
            let renewal = facts[fact].statedRenewal, renewal.willRenew == false
        else { return (.unconfirmed, nil) }
        let isUnanswered = renewal.priceIncreaseStatus?.value == .customerHasNotResponded
        return (isUnanswered ? .priceIncrease : .voluntary, fact)
    }
}

extension AfterPeriodRule {
    /// Whether a renewal info signed after E is about a later period that no transaction states: it
    /// names a later end, and neither a failed payment nor an expiry.
    fileprivate func isAboutUnknownPeriod(_ point: RenewalPoint) -> Bool {
        guard point.signedDate > end,
            let renewalDate = facts[point.fact].statedRenewal?.renewalDate,
            renewalDate.milliseconds(since: end) >= AfterPeriodRule.receiptPrecisionMilliseconds
        else { return false }
        return word(point.fact) == .nothing
    }

    /// Receipts write whole seconds.
    static let receiptPrecisionMilliseconds: Int64 = 1_000
}
