import AppStore

/// The subject of each renewal snapshot (`Lifecycle.md` §2, "Renewal infos"): a period and its run.
/// Auto-renew in one run does not carry over to the next.
struct RenewalSubjects: Sendable {
    /// The subject of one renewal snapshot.
    struct Subject: Sendable {
        /// The index of the period.
        var period: Int
        /// Whether it concerns a later period, stated by no transaction.
        var isUnknown: Bool
    }

    /// For each period, the index of the first period of its run.
    private(set) var first: [Int] = []
    /// For each point in `facts.renewals`; nil before the first period.
    let subjects: [Subject?]
    /// For each period, the range of its points; for the first period of a run, those of the run.
    private var ranges: [Range<Int>]
    /// For each period, the `period` whose purchase overtook earlier renewal infos (itself, or the
    /// first of the commitment it continues), the first point that is not overtaken (`since`), and
    /// when Apple may have begun to charge for it (`charge`).
    private let purchases: [(period: Int, since: Int, charge: Timestamp)]

    init(_ facts: OrderedFacts, _ periods: [Period]) {
        first.reserveCapacity(periods.count)
        var ranges: [Range<Int>] = Array(repeating: 0..<0, count: periods.count)
        var begun = 0
        subjects = facts.renewals.indices.map { index in
            let point = facts.renewals[index]
            while begun + 1 < periods.count, periods[begun + 1].countsFrom <= point.signedDate {
                begun += 1
            }
            guard let subject = RenewalSubjects.subject(of: point, facts, periods, begun: begun)
            else { return nil }
            ranges[subject.period] = RenewalSubjects.joined(
                ranges[subject.period], index..<(index + 1))
            return subject
        }
        self.ranges = ranges
        purchases = RenewalSubjects.purchases(facts, periods)
    }

    private static func purchases(
        _ facts: OrderedFacts, _ periods: [Period]
    ) -> [(period: Int, since: Int, charge: Timestamp)] {
        var purchases: [(period: Int, since: Int, charge: Timestamp)] = []
        purchases.reserveCapacity(periods.count)
        for index in periods.indices {
            let best = periods[index].bestFact
            if let last = purchases.last,
                isContinued(periods[index - 1].bestFact, by: best, facts)
            {
                purchases.append(last)
                continue
            }
            let known = min(periods[index].start, periods[index].firstStated)
            let since = facts.renewals.indices.partitioningIndex {
                facts.renewals[$0].signedDate >= known
            }
            let charge = periods[index].start.advanced(
                byMilliseconds: -periods[index].leadMilliseconds)
            purchases.append((index, since, charge))
        }
        return purchases
    }

    /// Whether a period is a further billing period of the commitment of the period before, by the
    /// facts that state them best.
    private static func isContinued(_ before: Int, by next: Int, _ facts: OrderedFacts) -> Bool {
        guard let earlier = facts[before].statedTransaction?.commitment,
            let later = facts[next].statedTransaction?.commitment,
            let first = earlier.billingPeriodNumber, let second = later.billingPeriodNumber
        else { return false }
        return first < second && earlier.totalBillingPeriods == later.totalBillingPeriods
    }

    private static func subject(
        of point: RenewalPoint, _ facts: OrderedFacts, _ periods: [Period], begun: Int
    ) -> Subject? {
        guard begun < periods.count else { return nil }
        let period = periods[begun]
        let isBefore = period.start > point.signedDate
        if let ahead = signedAhead(point, facts, periods, from: isBefore ? begun : begun + 1) {
            return Subject(period: ahead, isUnknown: false)
        }
        // Only a renewal that was stated by then continues from earlier renewal infos.
        if isBefore {
            let isStated = period.isRenewal(facts) && period.firstStated <= point.signedDate
            return isStated ? Subject(period: begun, isUnknown: false) : nil
        }
        let rule = AfterPeriodRule(facts: facts, period: period, nextStart: nil)
        return Subject(period: begun, isUnknown: rule.isAboutUnknownPeriod(point))
    }

    /// The period of a renewal info that was signed before the period's start, together with it.
    private static func signedAhead(
        _ point: RenewalPoint, _ facts: OrderedFacts, _ periods: [Period], from begun: Int
    ) -> Int? {
        guard let stated = facts[point.fact].statedTransaction, let start = stated.purchaseDate,
            start > point.signedDate
        else { return nil }
        return periods.indices.dropFirst(begun).first {
            periods[$0].transactionId == stated.transactionId || periods[$0].start == start
        }
    }

    private static func joined(_ left: Range<Int>, _ right: Range<Int>) -> Range<Int> {
        if left.isEmpty { return right }
        if right.isEmpty { return left }
        return min(left.lowerBound, right.lowerBound)..<max(left.upperBound, right.upperBound)
    }

    /// Appends the next period, which begins a run or continues one.
    mutating func append(beginsRun: Bool) {
        let index = first.count
        let start = beginsRun ? index : first.last ?? 0
        first.append(start)
        ranges[start] = RenewalSubjects.joined(ranges[start], ranges[index])
    }

    /// Indices into `facts.renewals` about the run of a period, oldest first, including those about
    /// unknown periods after it.
    func renewals(of period: Int) -> some BidirectionalCollection<Int> {
        ranges[first[period]].lazy.filter { index in
            // During construction, later periods are excluded.
            subjects[index].map {
                $0.period < first.count && first[$0.period] == first[period]
            } ?? false
        }
    }

    /// The newest of a run that counts and qualifies; nil if a newer one that counts is about an
    /// unknown period.
    func newest(
        of period: Int, where counts: (Int) -> Bool, and qualifies: (Int) -> Bool
    ) -> Int? {
        let newest = renewals(of: period).last {
            counts($0) && (isUnknown($0) || qualifies($0))
        }
        return newest.flatMap { isUnknown($0) ? nil : $0 }
    }

    /// Whether a point is about a period that no transaction states.
    func isUnknown(_ index: Int) -> Bool { subjects[index]?.isUnknown ?? true }

    /// Whether a purchase or renewal overtook what a point about its run states: of this period, it
    /// then states only that auto-renew is on.
    func isOvertaken(_ index: Int, by period: Int) -> Bool {
        guard let subject = subjects[index] else { return false }
        let purchase = purchases[period]
        return subject.period < purchase.period && index < purchase.since
    }

    /// From when the purchase or renewal that overtook earlier renewal infos may have been paid:
    /// Apple charges up to a day before the end.
    func charge(of period: Int) -> Timestamp { purchases[period].charge }

    /// Why access ended if no statement about the end gives a reason: the last auto-renew status
    /// before the next period; and the fact that states it.
    func reason(
        _ period: Int, _ facts: OrderedFacts, _ periods: [Period]
    ) -> (reason: EndReason, fact: Int?) {
        let next = period + 1 < periods.count ? periods[period + 1].start : nil
        let newest = renewals(of: period).last { index in
            next.map { facts.renewals[index].signedDate < $0 } ?? true
        }
        guard let newest, !isUnknown(newest), !isOvertaken(newest, by: period),
            let renewal = facts[facts.renewals[newest].fact].statedRenewal,
            renewal.willRenew == false
        else { return (.unconfirmed, nil) }
        let isUnanswered = renewal.priceIncreaseStatus?.value == .customerHasNotResponded
        return (isUnanswered ? .priceIncrease : .voluntary, facts.renewals[newest].fact)
    }
}

extension AfterPeriodRule {
    /// Whether a renewal info signed after E is about a later period that no transaction states: it
    /// names a later end, and neither a failed payment nor an expiry. One that came with a
    /// transaction of this period is about this period, which was extended.
    fileprivate func isAboutUnknownPeriod(_ point: RenewalPoint) -> Bool {
        guard point.signedDate > end,
            let renewalDate = facts[point.fact].statedRenewal?.renewalDate,
            renewalDate.milliseconds(since: end) >= AfterPeriodRule.receiptPrecisionMilliseconds
        else { return false }
        return namesPurchase(point.fact) != true && signal(point.fact) == .nothing
    }

    /// Receipts have whole seconds.
    static let receiptPrecisionMilliseconds: Int64 = 1_000
}

extension History {
    /// Whether what a point states is decided anew although an earlier point about its run states
    /// the same: a period overtook that one. Where the charge may have been made before the earlier
    /// one, only a notification of the decision is a new one.
    func isDecidedAgain(
        after earlier: Int, in period: Int, isNotified: @autoclosure () -> Bool
    ) -> Bool {
        renewalSubjects.isOvertaken(earlier, by: period)
            && (isNotified()
                || facts.renewals[earlier].signedDate < renewalSubjects.charge(of: period))
    }
}
