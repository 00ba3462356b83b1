import AppStore
import Ledger
import LedgerStore
internal import Projection
internal import Queries

extension MetricsQuery {
    // MARK: Deliveries

    func lateness(
        _ empty: LatenessTable, _ dimensions: [Dimension], _ seen: SeenValues
    ) async throws(MetricsError) -> Answer {
        let knowledge = knowledge
        let (table, tally): (LatenessTable, Tally)
        do throws(StoreError) {
            (table, tally) = try await walk.sumFacts(
                (empty, Tally(seen)),
                adding: { sum, chain, facts in
                    sum.1.chainCount += 1
                    sum.1.seen.note(DimensionValues(app: chain.bundleId))
                    for fact in facts where knowledge.admits(fact) {
                        sum.0.add(fact, of: chain.bundleId)
                    }
                },
                joining: { whole, part in
                    whole.0.add(part.0)
                    whole.1.add(part.1)
                })
        } catch {
            throw .store(error)
        }
        let outages = table.outages(limit: limit)
        return Answer(
            tally: tally, isMoney: false, dimensions: dimensions, columns: LatenessTable.columns,
            rows: table.rows(outages), outages: outages)
    }

    // MARK: Customers

    func lifetime(
        _ empty: LifetimeTable, _ seen: SeenValues
    ) async throws(MetricsError) -> Answer {
        let (catalogue, limit) = (query.ledger.catalogue, limit)
        let conversion = RateConversion(rates, nil)
        let (table, tally): (LifetimeTable, Tally)
        do throws(StoreError) {
            (table, tally) = try await walk.sum(
                (empty, Tally(seen)),
                adding: { sum, chain, life in
                    sum.1.chainCount += 1
                    let holder = life.holders.holders(at: limit).map(\.customer).min()
                    let found = life.occurrences(
                        of: .revenue, in: chain.bundleId, catalogue: catalogue, limit: limit,
                        instants: [])
                    for occurrence in found { sum.1.seen.note(occurrence.values) }
                    sum.0.add(
                        conversion.converted(found, .revenue, &sum.1.rateGaps),
                        of: holder.map { .known(chain.bundleId, $0) } ?? .chain(chain))
                },
                joining: { whole, part in
                    whole.0.add(part.0)
                    whole.1.add(part.1)
                })
        } catch {
            throw .store(error)
        }
        let rows = try table.rows()
        return Answer(
            tally: tally, isMoney: true, dimensions: empty.dimensions,
            columns: LifetimeTable.columns, rows: rows, remarks: unpriced(rows))
    }
}
