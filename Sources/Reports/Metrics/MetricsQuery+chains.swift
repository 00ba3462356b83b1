public import Ledger
internal import Projection
internal import Queries

extension MetricsQuery {
    /// The chains behind one cell of a report, with the events that decided what each adds. Folds
    /// every chain; for `ltv` twice.
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
        let table = converting.rates
        let empty = CellSum(after: after, limit: max(1, min(limit, Int.max / 8)))
        let sum =
            switch cell.figure {
            case .rollForward, .counted: try await converting.lives(of: cell, empty)
            case .delivered(let isLate): try await deliveries(of: cell, isLate: isLate, empty)
            case .lifetime: try await converting.payments(of: cell, empty)
            }
        try converting.requireRates(sum.rateGaps)
        guard sum.amount.isReportable else { throw .amountTooLarge }
        let page = sum.page
        let chains = Array(page.prefix(empty.limit))
        return CellChains(
            stamp: try await stamp(
                metric.definition, cell.scope,
                remarks: remarks(sum.walkedCount > 0) + (table == nil ? [] : [.converted]),
                rates: table),
            metric: metric, column: cell.column, from: cell.from, to: cell.to, group: cell.group,
            amount: sum.amount,
            chainCount: sum.chainCount, chains: chains,
            next: page.count > chains.count ? chains.last?.chain : nil)
    }

    private func lives(
        of cell: MetricCell, _ empty: CellSum
    ) async throws(MetricsError) -> CellSum {
        let (catalogue, conversion) = (snapshot.ledger.catalogue, cell.conversion(rates))
        return try await sumLives(empty) { sum, chain, life in
            sum.walkedCount += 1
            let found = cell.found(chain, life, catalogue, conversion, &sum.rateGaps)
            if let found { sum.add(found) }
        }
    }

    private func deliveries(
        of cell: MetricCell, isLate: Bool, _ empty: CellSum
    ) async throws(MetricsError) -> CellSum {
        let knowledge = knowledge
        let table = try cell.scope.delays()
        let wanted = RollForwardQuery.Cell(interval: 0, key: cell.key)
        return try await sumFacts(empty) { sum, chain, facts in
            sum.walkedCount += 1
            let parts = facts.compactMap { fact -> CellPart? in
                guard knowledge.admits(fact), table.cell(of: fact, chain.bundleId) == wanted,
                    !isLate || LatenessTable.isLate(fact.lateness ?? 0)
                else { return nil }
                return CellPart(amount: 1, cause: fact.position)
            }
            if !parts.isEmpty { sum.add(CellChain(chain, parts)) }
        }
    }

    /// A customer's first purchase decides the cell of all payments: it is looked for first.
    private func payments(
        of cell: MetricCell, _ empty: CellSum
    ) async throws(MetricsError) -> CellSum {
        let (catalogue, limit) = (snapshot.ledger.catalogue, limit)
        let conversion = RateConversion(rates: rates, question: nil, zone: cell.scope.zone)
        let table = cell.scope.payments(until: limit)
        let accounts = try await sumLives(table) { table, chain, life in
            var income = CustomerIncome(life, of: chain, catalogue, limit: limit)
            var gaps: Set<CurrencyRates.Gap> = []
            income.revenue = conversion.converted(income.revenue, .revenue, &gaps)
            table.add(income)
        }
        let (firsts, column) = (accounts.firsts(of: cell.key), cell.column.name)
        return try await sumLives(empty) { sum, chain, life in
            sum.walkedCount += 1
            var income = CustomerIncome(life, of: chain, catalogue, limit: limit)
            income.revenue = conversion.converted(income.revenue, .revenue, &sum.rateGaps)
            guard let first = firsts[income.customer] else { return }
            let found = CellChain(
                chain, table.parts(of: column, in: cell.key, income, first: first))
            // A payment and its refund add nothing.
            if found.amount != 0 { sum.add(found) }
        }
    }
}
