import AppStore
public import Ledger
internal import Projection
internal import Queries

extension MetricsQuery {
    /// The chains behind one cell of a report, with the events that decided what each adds. Folds
    /// every chain.
    ///
    /// - Parameters:
    ///   - after: the last chain of the previous page; nil for the first page.
    ///   - limit: chains per page, at least one.
    public func cell(
        _ metric: MetricName, _ parameters: CellParameters, after: ChainId? = nil, limit: Int
    ) async throws(MetricsError) -> CellChains {
        let column = try CellColumn(parameters.column, of: metric)
        let values = try parameters.values()
        let scope = try parameters.scope(
            reportTimeZone, limit: self.limit, values.map(\.dimension.rawValue))
        switch metric {
        case .churn, .mrrMovement: break
        case .counted, .mrr, .arr, .lateness, .ltv:
            guard !scope.hasReason else { throw .reasonElsewhere }
        }
        let cell = try Cell(column, scope, values)
        let (catalogue, end) = (query.ledger.catalogue, self.limit)
        let empty = CellSum(after: after, limit: max(1, min(limit, Int.max / 8)))
        let sum = try await walk.sum(empty) { sum, chain, life in
            sum.walkedCount += 1
            let parts = cell.parts(life, of: chain.bundleId, catalogue, limit: end)
            if !parts.isEmpty { sum.add(CellChain(chain, parts)) }
        }
        guard sum.amount.isReportable else { throw .amountTooLarge }
        let page = sum.page
        let chains = Array(page.prefix(empty.limit))
        return CellChains(
            stamp: stamp(metric.definition, scope, remarks: remarks(sum.walkedCount)),
            metric: metric, column: column.column, from: cell.question.instants[0],
            to: cell.question.instants[1], group: cell.group, amount: sum.amount,
            chainCount: sum.chainCount, chains: chains,
            next: page.count > chains.count ? chains.last?.chain : nil)
    }

    /// One cell: the only interval of a question, a group and a column.
    private struct Cell: Sendable {
        let question: RollForwardQuery
        private let key: RollForwardQuery.Key
        let group: [(dimension: Dimension, value: String?)]
        private let source: Source

        private enum Source: Sendable {
            case rollForward(RollForwardFigure)
            case counted(CountedMetric, column: String)
        }

        init(
            _ column: CellColumn, _ scope: MetricScope,
            _ values: [(dimension: Dimension, value: String?)]
        ) throws(MetricsError) {
            switch column.figure {
            case .rollForward(let figure, let measure):
                question = scope.question(measure)
                source = .rollForward(figure)
            case .counted(let metric):
                question =
                    CountTable(
                        metric, instants: scope.instants, dimensions: scope.dimensions,
                        filters: scope.filters
                    ).question
                source = .counted(metric, column: column.column.name)
            }
            let isMoney = question.measure == .money
            let named = (isMoney ? [.currency] : []) + question.dimensions
            var group: [(dimension: Dimension, value: String?)] = []
            for dimension in named {
                // Money is separated by currency, and a filter by reason also groups by it.
                let only = question.filters[dimension].flatMap { $0.count == 1 ? $0.first : nil }
                let stated = values.first { $0.dimension == dimension }
                guard stated != nil || only != nil else {
                    throw .invalidGroup("This one has the dimension \(dimension.rawValue), too.")
                }
                group.append((dimension, stated.map(\.value) ?? only ?? nil))
            }
            self.group = group
            key = group.map(\.value)
        }

        /// What a chain adds to the cell, without zeros.
        func parts(
            _ life: Lifecycle, of app: BundleId, _ catalogue: Catalogue, limit: Timestamp
        ) -> [CellPart] {
            switch source {
            case .rollForward(let figure):
                guard !life.isOneTime else { return [] }
                return ChainMetrics(life, of: app, catalogue: catalogue)
                    .parts(of: figure, in: key, question)
            case .counted(let metric, let column):
                return life.occurrences(
                    of: metric, in: app, catalogue: catalogue, limit: limit,
                    instants: question.instants
                ).compactMap { found in
                    guard let amount = found.amounts[column], amount != 0,
                        question.interval(of: found.at) == 0, question.matches(found.values),
                        question.key(found.values, reason: nil) == key
                    else { return nil }
                    return CellPart(amount: amount, cause: found.cause)
                }
            }
        }
    }
}
