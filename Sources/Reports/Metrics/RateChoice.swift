public import Ledger

/// Which table of rates converts the amounts of a report.
public enum RateChoice: Sendable, Equatable {
    /// The configured one, unless the question selects currencies or compares definitions; none
    /// where none is configured.
    case usual
    /// None: currencies stay separate.
    case separate
    case table(CurrencyRates)

    /// The text for `separate` where a table is expected.
    public static let separateName = "none"

    /// The table for a report; nil: nothing is converted.
    ///
    /// - Parameters:
    ///   - metric: the configured table is for metrics of money only.
    ///   - parameters: of the question.
    ///   - configured: called only where the configured table is used.
    ///
    /// Throws what `configured` throws.
    public func table(
        for metric: MetricName, _ parameters: MetricParameters,
        configured: () throws -> CurrencyRates?
    ) throws -> CurrencyRates? {
        switch self {
        case .separate: return nil
        case .table(let table): return table
        case .usual:
            let currency = Dimension.currency.rawValue
            guard metric.isMoney, !parameters.by.contains(currency),
                !RateChoice.selects(currency, parameters.filters)
            else { return nil }
            return try configured()
        }
    }

    /// The table for a cell: the configured one only for a row of its currency.
    public func table(
        for metric: MetricName, _ parameters: CellParameters,
        configured: () throws -> CurrencyRates?
    ) throws -> CurrencyRates? {
        var report = MetricParameters()
        report.filters = parameters.filters
        let found = try table(for: metric, report, configured: configured)
        guard self == .usual, let found else { return found }
        let row = "\(Dimension.currency.rawValue)=\(found.target)"
        return parameters.group.contains(row) ? found : nil
    }

    private static func selects(_ dimension: String, _ filters: [String]) -> Bool {
        filters.contains { $0.hasPrefix("\(dimension)=") }
    }
}
