public import Ledger
internal import Projection
internal import Queries

extension MetricsQuery {
    /// The chains behind one cell of a report, with the events that decided what each adds. Folds
    /// every chain.
    ///
    /// - `after`: the last chain of the previous page; nil for the first page.
    /// - `limit`: chains per page, at least one.
    public func cell(
        _ metric: MetricName, _ parameters: CellParameters, after: ChainId? = nil, limit: Int
    ) async throws(MetricsError) -> CellChains {
        let cell = try MetricCell(
            metric, parameters, reportTimeZone: reportTimeZone, limit: self.limit)
        var converting = self
        converting.rates =
            metric.isMoney ? rates?.used(by: metric, cell.scope, limit: self.limit) : nil
        guard converting.rates == nil || cell.scope.filters[.currency] == nil else {
            throw .currencyConverted
        }
        let (table, conversion) = (converting.rates, cell.conversion(converting.rates))
        let catalogue = query.ledger.catalogue
        let empty = CellSum(after: after, limit: max(1, min(limit, Int.max / 8)))
        let sum = try await sumLives(empty) { sum, chain, life in
            sum.walkedCount += 1
            let found = cell.found(chain, life, catalogue, conversion, &sum.rateGaps)
            if let found { sum.add(found) }
        }
        try converting.requireRates(sum.rateGaps)
        guard sum.amount.isReportable else { throw .amountTooLarge }
        let page = sum.page
        let chains = Array(page.prefix(empty.limit))
        return CellChains(
            stamp: stamp(
                metric.definition, cell.scope,
                remarks: remarks(sum.walkedCount) + (table == nil ? [] : [.converted]),
                rates: table),
            metric: metric, column: cell.column, from: cell.from, to: cell.to, group: cell.group,
            amount: sum.amount,
            chainCount: sum.chainCount, chains: chains,
            next: page.count > chains.count ? chains.last?.chain : nil)
    }
}
