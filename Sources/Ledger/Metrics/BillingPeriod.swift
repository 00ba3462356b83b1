import AppStore

/// The time covered by one payment of a subscription, and its source (`Metrics.md`, Money).
public struct BillingPeriod: Hashable, Sendable {
    public var length: ISO8601Period
    /// Inferred from the dates of the payload because the catalogue has no entry: 28 to 31 days are
    /// a month.
    public var isInferred: Bool

    public init(length: ISO8601Period, isInferred: Bool) {
        self.length = length
        self.isInferred = isInferred
    }

    /// Of a period of a history. A commitment is billed each month, whatever the catalogue's
    /// period; an offer paid up front has the length Apple states.
    ///
    /// Without a catalogue entry, the period's natural length is used: from its first purchase,
    /// because a restored copy has the date of the restore, to the smallest end that any copy
    /// stated, because an extension does not lengthen the billing period. A renewal paid for in
    /// grace that keeps the anchor is a week or months long from the end of the period before it.
    ///
    /// - Parameter index: of the period.
    /// - Returns: nil if neither catalogue nor payload gives it. Outside Production dates are not
    ///   used: time runs faster there.
    init?(_ index: Int, _ history: History, catalogue: Catalogue) {
        guard let snapshot = history.facts[history.periods[index].bestFact].statedTransaction
        else { return nil }
        if snapshot.billingPlanType?.value == .monthly {
            self.init(length: ISO8601Period(months: 1), isInferred: false)
            return
        }
        let isUpFront = snapshot.offer?.discountType?.value == .payUpFront
        let stated =
            isUpFront
            ? snapshot.offer?.period.flatMap { ISO8601Period($0) }
            : snapshot.productId.flatMap { catalogue.products[$0]?.period }
        if let stated {
            self.init(length: stated, isInferred: false)
            return
        }
        guard history.facts.environment == .production,
            let end = BillingPeriod.leastEnd(index, history)
        else { return nil }
        let period = history.periods[index]
        let anchored = BillingPeriod.inferred(end.milliseconds(since: history.servedFrom(index)))
        let keepsAnchor = anchored.map { $0.months > 0 || $0.days == 7 } ?? false
        guard
            let length = keepsAnchor
                ? anchored : BillingPeriod.inferred(end.milliseconds(since: period.start))
        else { return nil }
        self.init(length: length, isInferred: true)
    }

    /// The smallest end that any statement of a period's transactions gives.
    static func leastEnd(_ index: Int, _ history: History) -> Timestamp? {
        var least: Timestamp?
        for record in history.periods[index].records {
            for statement in history.records[record].statements {
                guard let end = statement.expiresDate else { continue }
                least = min(least ?? end, end)
            }
        }
        return least
    }

    private static let dayMilliseconds: Int64 = 86_400_000
    /// Longer than any period Apple sells; bounds the day arithmetic.
    static let longestInferredDays: Int64 = 1_000

    /// The calendar length nearest to a duration in days, because daylight saving time shifts ends.
    static func inferred(_ milliseconds: Int64) -> ISO8601Period? {
        guard milliseconds > 0, milliseconds <= longestInferredDays * dayMilliseconds else {
            return nil
        }
        let days = (milliseconds + dayMilliseconds / 2) / dayMilliseconds
        switch days {
        case 0: return nil
        case 28...31: return ISO8601Period(months: 1)
        case 59...62: return ISO8601Period(months: 2)
        case 89...92: return ISO8601Period(months: 3)
        case 181...184: return ISO8601Period(months: 6)
        case 365...366: return ISO8601Period(months: 12)
        default: return ISO8601Period(days: days)
        }
    }

    /// The price of a year: × 365 a day, 52 a week, 12 a month, 1 a year; exact for every length
    /// Apple sells, rounded half-even once for others.
    ///
    /// - Returns: nil for a length without a yearly factor, and for invalid prices.
    public func annualised(_ milliunits: Int64) -> Int64? {
        guard (0...BillingPeriod.largestPrice).contains(milliunits), length.seconds == 0 else {
            return nil
        }
        switch (length.months, length.days) {
        case (1..., 0): return HalfEven.quotient(milliunits * 12, length.months)
        case (0, 1...) where length.days % 7 == 0:
            return HalfEven.quotient(milliunits * 52, length.days / 7)
        case (0, 1...): return HalfEven.quotient(milliunits * 365, length.days)
        default: return nil
        }
    }

    /// 10⁹ units of a currency: larger than any price, and small enough that sums of a year stay
    /// far from the limits of Int64.
    public static let largestPrice: Int64 = 1_000_000_000_000
}

extension History {
    /// When the service of a period begins: of a renewal in grace just before it, at the end of the
    /// period whose payment failed.
    func servedFrom(_ index: Int) -> Timestamp {
        let period = periods[index]
        guard period.isRenewal(facts),
            let before = interval(at: period.countsFrom.advanced(byMilliseconds: -1)),
            intervals[before].state == .grace
        else { return period.start }
        return min(period.start, periods[intervals[before].period].end)
    }
}
