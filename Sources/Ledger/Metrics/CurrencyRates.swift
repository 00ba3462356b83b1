public import AppStore

/// Conversion rates into one currency, without which a metric does not add amounts of several
/// currencies (`Metrics.md`, Money). Of recurring money each rate is constant over the report, so
/// that changes come from subscribers, not from exchange rates.
public struct CurrencyRates: Hashable, Sendable {
    /// ISO 4217 code of the currency converted into.
    public let target: String
    /// For all time, by ISO 4217 code; the target's own is not needed.
    public let rates: [String: Rate]
    /// Dated rates by currency, in order of days; none of these currencies is in `rates`.
    public internal(set) var dated: [String: [DatedRate]]
    /// The day for which `on` chose these rates; nil for a table that was not reduced to a day.
    public internal(set) var day: CivilDate?

    public init(
        target: String, rates: [String: Rate], dated: [String: [DatedRate]] = [:]
    ) {
        self.target = target
        self.rates = rates
        self.dated = dated.mapValues { list in
            list.sorted { $0.day.daysSinceEpoch < $1.day.daysSinceEpoch }
        }
    }

    /// A decimal number, exactly as written.
    public struct Rate: Hashable, Sendable, CustomStringConvertible {
        /// Without the point.
        let digits: Int64
        /// Number of fraction digits.
        let scale: Int

        /// Largest number of digits in total.
        public static let digitCount = 15
        /// Largest number of fraction digits.
        public static let scaleCount = 9
        /// Larger than the rate between any two currencies of the App Store; bounds sums of real
        /// amounts far below the limit of Int64.
        public static let largest: Int64 = 1_000_000

        /// Nil unless the text is a decimal number greater than 0 and at most `largest`, such as
        /// `1.0834`.
        public init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            let fraction = parts.count == 2 ? parts[1] : ""
            guard (1...2).contains(parts.count), !parts[0].isEmpty,
                parts.count == 1 || !fraction.isEmpty,
                (parts[0] + fraction).utf8.allSatisfy({ (48...57).contains($0) }),
                parts[0].utf8.count + fraction.utf8.count <= Rate.digitCount,
                fraction.utf8.count <= Rate.scaleCount,
                let digits = Int64(parts[0] + fraction), digits > 0
            else { return nil }
            self.digits = digits
            scale = fraction.utf8.count
            guard Int128(digits) <= Int128(Rate.largest) * divisor else { return nil }
        }

        private var divisor: Int128 { (0..<scale).reduce(1) { power, _ in power * 10 } }

        public var description: String {
            let text = String(digits)
            guard scale > 0 else { return text }
            let padded = String(repeating: "0", count: max(0, scale + 1 - text.count)) + text
            return "\(padded.dropLast(scale)).\(padded.suffix(scale))"
        }

        /// Rounded half to even once; nil if too large for a report's sums.
        func converted(_ milliunits: Int64) -> Int64? {
            let rounded = HalfEven.quotient(Int128(milliunits) * Int128(digits), divisor)
            guard rounded.magnitude <= CurrencyRates.largestAmount else { return nil }
            return Int64(rounded)
        }
    }

    /// A year of the largest price, as for unconverted amounts. Larger results have no amount,
    /// which callers must check for.
    static let largestAmount = UInt128(BillingPeriod.largestPrice) * 365

    /// Whether amounts of a currency can be converted; nil always can, because it has no amount.
    public func covers(_ currency: String?) -> Bool {
        guard let currency else { return true }
        return currency == target || rates[currency] != nil
    }

    /// Nil without a rate, or if too large for a report's sums.
    public func converted(_ milliunits: Int64, from currency: String?) -> Int64? {
        guard let currency, currency != target else { return milliunits }
        return rates[currency]?.converted(milliunits)
    }
}

extension Occurrence {
    /// The same in the target currency; columns without a monetary unit are unchanged. Amounts that
    /// cannot be converted are dropped; `CurrencyRates.gap` gives the reason.
    public func converted(by rates: CurrencyRates, _ metric: CountedMetric) -> Occurrence {
        var converted = self
        for column in metric.columns where column.unit == .milliunits {
            guard let amount = amounts[column.name] else { continue }
            converted.amounts[column.name] = rates.converted(amount, from: values.currency)
        }
        converted.values.currency = rates.target
        return converted
    }
}

extension CurrencyRates {
    /// Why an amount cannot be converted.
    public enum Gap: Hashable, Sendable {
        /// Its currency has no rate.
        case missing(String)
        /// Its currency has dated rates, but none that applies on that day.
        case missingOn(String, CivilDate)
        /// The result is too large for a report's sums.
        case tooLarge(String)
    }

    /// Why an amount cannot be converted; nil if it can, or is 0.
    public func gap(_ milliunits: Int64, in currency: String?) -> Gap? {
        guard let currency, milliunits != 0, converted(milliunits, from: currency) == nil else {
            return nil
        }
        return covers(currency) ? .tooLarge(currency) : .missing(currency)
    }
}

extension ChainMetrics {
    /// The same with every price in the target currency, each rounded once: sums are of whole
    /// numbers, and every row balances. A price that cannot be converted is 0, since only a price
    /// that is not known is absent; `CurrencyRates.gap` gives the reason, which callers must check
    /// for.
    public func converted(by rates: CurrencyRates) -> ChainMetrics {
        var converted = self
        for index in stretches.indices {
            let stretch = stretches[index]
            converted.stretches[index].annualised = stretch.annualised.map {
                rates.converted($0, from: stretch.values.currency) ?? 0
            }
            converted.stretches[index].values.currency = rates.target
        }
        return converted
    }
}
