import AppStore

/// How long one payment of a subscription lasts, and where that is known from (`metrics.md`, MRR).
public struct BillingPeriod: Hashable, Sendable {
    public var length: ISO8601Period
    /// From the dates of the payload, because the catalogue is silent: a month is known by its 28
    /// to 31 days.
    public var isInferred: Bool

    public init(length: ISO8601Period, isInferred: Bool) {
        self.length = length
        self.isInferred = isInferred
    }

    /// Of a period of a history. A commitment is billed each month, whatever the catalogue calls the
    /// product's period; an offer paid up front lasts as long as Apple says the offer does.
    ///
    /// Where the catalogue is silent the period's natural length tells: from its first purchase, for
    /// a restored copy is dated by the restore, to the smallest end that any copy stated, for what
    /// was extended is no longer period.
    ///
    /// - Parameter index: of the period.
    /// - Returns: nil when neither catalogue nor payload tells. Outside Production dates tell
    ///   nothing: time runs faster there.
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
            ? snapshot.offer?.period.flatMap { try? ISO8601Period($0) }
            : snapshot.productId.flatMap { catalogue.products[$0]?.period }
        if let stated {
            self.init(length: stated, isInferred: false)
            return
        }
        guard history.environment == .production, let end = BillingPeriod.leastEnd(index, history),
            let length = BillingPeriod.inferred(
                end.milliseconds(since: history.periods[index].start))
        else { return nil }
        self.init(length: length, isInferred: true)
    }

    /// The smallest end that any statement of a period's transactions gives.
    private static func leastEnd(_ index: Int, _ history: History) -> Timestamp? {
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
    /// Longer than any period Apple sells; keeps the arithmetic of days small.
    static let longestInferredDays: Int64 = 1_000

    /// The calendar's word for a length: to the nearest day, since clocks change in between.
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

    /// A year of a price that recurs: × 365 a day, 52 a week, 12 a month, 1 a year; exact for every
    /// length Apple sells, rounded half-even once for others.
    ///
    /// - Returns: nil for a length that no calendar has so often, and for prices that are none.
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

    /// A thousand million of a currency's unit: no price, and sums of a year's stay far from the
    /// ends of Int64.
    public static let largestPrice: Int64 = 1_000_000_000_000
}
