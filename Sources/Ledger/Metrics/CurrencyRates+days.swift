public import AppStore

/// Rates by day (`Metrics.md`, Money): a currency has either one rate for all time or dated ones.
extension CurrencyRates {
    /// A rate from its day on, until the next one.
    public struct DatedRate: Hashable, Sendable {
        public let day: CivilDate
        public let rate: Rate

        public init(day: CivilDate, rate: Rate) {
            self.day = day
            self.rate = rate
        }
    }

    /// Days after its own for which a rate still applies: banks publish none on weekends and
    /// holidays, which are never a week in a row.
    public static let bridgedDayCount: Int64 = 7

    /// Every rate of one day, as a table for all time: the dated ones are the last at or before the
    /// day, within `bridgedDayCount`. A currency without one is absent.
    public func on(_ day: CivilDate) -> CurrencyRates {
        guard !dated.isEmpty else { return self }
        let found = dated.compactMapValues { CurrencyRates.rate($0, on: day) }
        var table = CurrencyRates(target: target, rates: rates.merging(found) { one, _ in one })
        table.day = day
        return table
    }

    /// Like `on(_:)`, with at most the rate of one currency.
    public func on(_ day: CivilDate, from currency: String?) -> CurrencyRates {
        guard !dated.isEmpty, let currency, let list = dated[currency] else { return self }
        let rate = CurrencyRates.rate(list, on: day)
        return CurrencyRates(target: target, rates: rate.map { [currency: $0] } ?? [:])
    }

    /// The part of the table from which the days `[from, through]` are converted, so that later
    /// rates do not change its digest.
    ///
    /// - Parameters:
    ///   - from: nil: from the first.
    ///   - through: the last day, included.
    public func within(from: CivilDate?, through: CivilDate) -> CurrencyRates {
        let first: Int64 =
            from.map { $0.daysSinceEpoch - CurrencyRates.bridgedDayCount } ?? .min
        let last = through.daysSinceEpoch
        var part = self
        part.dated = dated.mapValues { list in
            list.filter { first <= $0.day.daysSinceEpoch && $0.day.daysSinceEpoch <= last }
        }
        return part
    }

    /// One line for each rate, in order: the input of the digest of the table.
    public var canonicalText: String {
        var lines = [target]
        for (currency, rate) in rates.sorted(by: { $0.key < $1.key }) {
            lines.append("\(currency) \(rate)")
        }
        for (currency, list) in dated.sorted(by: { $0.key < $1.key }) {
            lines += list.map { "\($0.day.text) \(currency) \($0.rate)" }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// - Parameter list: in the order of its days.
    private static func rate(_ list: [DatedRate], on day: CivilDate) -> Rate? {
        let number = day.daysSinceEpoch
        let next = list.indices.partitioningIndex { list[$0].day.daysSinceEpoch > number }
        guard next > 0 else { return nil }
        let found = list[next - 1]
        return number - found.day.daysSinceEpoch <= bridgedDayCount ? found.rate : nil
    }
}

extension CivilDate {
    /// `2026-01-31`.
    public var text: String { String(Timestamp(self).rfc3339.prefix(10)) }
}
