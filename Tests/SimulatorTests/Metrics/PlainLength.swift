import AppStore
import Ledger

extension PlainLife.Sale {
    /// The length of the product's ordinary periods, from the catalogue alone.
    func productLength(_ catalogue: Catalogue) -> ISO8601Period? {
        if payload.billingPlanType?.value == .monthly { return ISO8601Period(months: 1) }
        return payload.productId.flatMap { catalogue.products[$0]?.period }
    }

    /// The length of a sold period: from the catalogue or, without one, from its first purchase
    /// date to the first end stated by any copy.
    func length(_ catalogue: Catalogue) -> ISO8601Period? {
        if payload.billingPlanType?.value == .monthly { return ISO8601Period(months: 1) }
        if payload.offerDiscountType?.value == .payUpFront {
            if let period = payload.offerPeriod { return ISO8601Period(period) }
        } else if let period = payload.productId.flatMap({ catalogue.products[$0]?.period }) {
            return period
        }
        guard let firstEnd, payload.environment?.value == .production else { return nil }
        // Rounded to days, because of daylight saving time.
        let hours = firstEnd.milliseconds(since: bought) / 3_600_000
        let days = (hours + 12) / 24
        guard days > 0 else { return nil }
        let months: [(ClosedRange<Int64>, Int64)] = [
            (28...31, 1), (59...62, 2), (89...92, 3), (181...184, 6), (365...366, 12),
        ]
        let found = months.first { $0.0.contains(days) }
        return found.map { ISO8601Period(months: $0.1) } ?? ISO8601Period(days: days)
    }
}
