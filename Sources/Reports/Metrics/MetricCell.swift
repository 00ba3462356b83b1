package import AppStore
package import Ledger

/// One cell of a report: the only interval of a question, a group and a column. Pure: the same
/// lives give the same amounts.
package struct MetricCell: Sendable {
    package let column: CountColumn
    let scope: MetricScope
    /// The values of its row's dimensions.
    package let group: [(dimension: Dimension, value: String?)]
    private let question: RollForwardQuery
    let key: RollForwardQuery.Key
    /// Nothing later counts.
    private let limit: Timestamp
    let figure: CellColumn.Figure

    /// - Parameters:
    ///   - reportTimeZone: the configured one.
    ///   - limit: nothing later counts.
    package init(
        _ metric: MetricName, _ parameters: CellParameters, reportTimeZone: String,
        limit: Timestamp
    ) throws(MetricsError) {
        let column = try CellColumn(parameters.column, of: metric)
        let values = try parameters.values()
        let scope = try parameters.scope(
            reportTimeZone, limit: limit, values.map(\.dimension.rawValue))
        switch metric {
        case .churn, .mrrMovement: break
        case .counted, .mrr, .arr, .lateness, .ltv:
            guard !scope.hasReason else { throw .reasonElsewhere }
        }
        (self.column, self.scope, self.limit) = (column.column, scope, limit)
        figure = column.figure
        switch column.figure {
        case .rollForward(_, let measure): question = scope.question(measure)
        case .counted(let metric): question = scope.counts(of: metric).question
        case .delivered:
            try scope.requireOnlyApp()
            question = scope.question(.chains)
        case .lifetime: question = scope.question(.money)
        }
        let isMoney = question.measure == .money
        let named = (isMoney ? [.currency] : []) + question.dimensions
        var group: [(dimension: Dimension, value: String?)] = []
        for dimension in named {
            // Money is separated by currency, and a filter by reason also groups by it.
            let only = question.filters[dimension].flatMap { $0.count == 1 ? $0.first : nil }
            let stated = values.first { $0.dimension == dimension }
            guard stated != nil || only != nil else {
                throw .invalidGroup("The value of the dimension \(dimension.rawValue) is missing.")
            }
            group.append((dimension, stated.map(\.value) ?? only ?? nil))
        }
        self.group = group
        key = group.map(\.value)
    }

    /// The cell's interval `[from, to)`.
    package var from: Timestamp { question.instants[0] }
    package var to: Timestamp { question.instants[1] }

    /// What a chain adds to the cell of a metric of lives, in its own currency; nil where it adds
    /// nothing.
    package func found(
        _ chain: ChainId, _ life: Lifecycle, _ catalogue: Catalogue
    ) -> CellChain? {
        var gaps: Set<CurrencyRates.Gap> = []
        return found(chain, life, catalogue, conversion(nil), &gaps)
    }

    /// The same by `conversion`, which collects why amounts could not be converted.
    func found(
        _ chain: ChainId, _ life: Lifecycle, _ catalogue: Catalogue,
        _ conversion: RateConversion, _ gaps: inout Set<CurrencyRates.Gap>
    ) -> CellChain? {
        let parts = parts(life, of: chain.bundleId, catalogue, conversion, &gaps)
        return parts.isEmpty ? nil : CellChain(chain, parts)
    }

    /// - Parameter rates: nil: nothing is converted.
    func conversion(_ rates: CurrencyRates?) -> RateConversion {
        RateConversion(rates: rates, question: question, zone: scope.zone)
    }

    /// Without zeros.
    private func parts(
        _ life: Lifecycle, of app: BundleId, _ catalogue: Catalogue,
        _ conversion: RateConversion, _ gaps: inout Set<CurrencyRates.Gap>
    ) -> [CellPart] {
        switch figure {
        case .rollForward(let figure, _):
            guard !life.isOneTime else { return [] }
            let chain = ChainMetrics(life, of: app, catalogue: catalogue)
            return conversion.converted(chain, &gaps).parts(of: figure, in: key, question)
        case .counted(let metric):
            let all = life.occurrences(
                of: metric, in: app, catalogue: catalogue, limit: limit,
                instants: question.instants)
            return conversion.converted(all, metric, &gaps).compactMap { found in
                guard let amount = found.amounts[column.name], amount != 0,
                    question.cell(of: found.at, found.values)
                        == RollForwardQuery.Cell(interval: 0, key: key)
                else { return nil }
                return CellPart(amount: amount, cause: found.cause)
            }
        // `MetricsQuery` sums them.
        case .delivered, .lifetime: return []
        }
    }
}
