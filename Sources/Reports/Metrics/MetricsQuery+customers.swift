import Ledger
internal import Projection
internal import Queries

extension MetricsQuery {
    // MARK: Deliveries

    func lateness(
        _ empty: LatenessTable, _ dimensions: [Dimension], _ seen: SeenValues
    ) async throws(MetricsError) -> Answer {
        let knowledge = knowledge
        let sum = try await sumFacts(Tallied(table: empty, tally: Tally(seen))) {
            sum, chain, facts in
            sum.tally.hasChains = true
            sum.tally.seen.note(DimensionValues(app: chain.bundleId))
            for fact in facts where knowledge.admits(fact) {
                sum.table.add(fact, of: chain.bundleId)
            }
        }
        let outages = sum.table.outages(limit: limit)
        return Answer(
            tally: sum.tally, dimensions: dimensions, columns: LatenessTable.columns,
            rows: sum.table.rows(outages), outages: outages)
    }

    // MARK: Customers

    func lifetime(
        _ empty: LifetimeTable, _ seen: SeenValues, _ zone: ReportZone
    ) async throws(MetricsError) -> Answer {
        let (catalogue, limit) = (snapshot.ledger.catalogue, limit)
        let conversion = RateConversion(rates: rates, question: nil, zone: zone)
        let sum = try await sumLives(Tallied(table: empty, tally: Tally(seen))) {
            sum, chain, life in
            sum.tally.hasChains = true
            var income = CustomerIncome(life, of: chain, catalogue, limit: limit)
            for occurrence in income.revenue { sum.tally.seen.note(occurrence.values) }
            income.revenue = conversion.converted(
                income.revenue, .revenue, &sum.tally.rateGaps)
            sum.table.add(income)
        }
        let rows = try sum.table.rows()
        return Answer(
            tally: sum.tally, dimensions: empty.dimensions,
            columns: LifetimeTable.columns, rows: rows, remarks: unpriced(rows))
    }
}
