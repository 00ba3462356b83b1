import AppStore
import Ledger
import LedgerStore
internal import Projection
internal import Queries

/// Comparison of metrics that are not sums over chains: delays have ranks, and customers may hold
/// several chains.
extension MetricsQuery {
    /// Parameters common to every comparison of two states of knowledge.
    private struct Frame {
        let zone: ReportZone
        let interval: ReportInterval
        let instants: [Timestamp]
        let dimensions: [Dimension]
        let filters: [Dimension: Set<String?>]
        /// The earliest of both states and now.
        let limit: Timestamp
    }

    private func frame(
        _ words: MetricParameters, _ before: AsOf
    ) throws(MetricsError) -> Frame {
        let zone = try words.zone(reportTimeZone)
        let interval = try words.reportInterval()
        let common = before.knownAt.map { min($0, limit) } ?? limit
        return Frame(
            zone: zone, interval: interval,
            instants: try words.instants(interval, zone, limit: common),
            dimensions: try words.dimensions(), filters: try words.conditions(), limit: common)
    }

    // MARK: Deliveries

    private struct Deliveries: Sendable {
        var before: LatenessTable
        var after: LatenessTable
        var events: [LatenessTable.Cell: Set<Int64>] = [:]
        /// Every delivery that only one of the two contains, regardless of range and filters.
        var known = KnownDeliveries()
        var chainCount = 0
    }

    /// The events of a cell are the deliveries in it that only one of the two contains; those of a
    /// cell of suspected outages are the deliveries related to windows that only one suspects.
    func latenessDiff(
        _ words: MetricParameters, from before: AsOf
    ) async throws(MetricsError) -> MetricsDiff {
        let frame = try frame(words, before)
        guard Set(frame.dimensions).union(frame.filters.keys).isSubset(of: [.app]) else {
            throw .onlyApp
        }
        let sum = try await deliveries(
            LatenessTable(
                instants: frame.instants, isByApp: !frame.dimensions.isEmpty,
                apps: frame.filters[.app]), before)
        let (then, now) = (
            sum.before.outages(limit: frame.limit), sum.after.outages(limit: frame.limit)
        )
        let (old, new) = (
            MetricsQuery.values(sum.before.rows(then)), MetricsQuery.values(sum.after.rows(now))
        )
        let changed = Set(then).symmetricDifference(now)
        var moved: [Place: Set<Int64>] = [:]
        for place in MetricsQuery.moved(old, new) {
            let interval = frame.instants.firstIndex(of: place.from) ?? 0
            let cell = LatenessTable.Cell(interval: interval, app: place.group.first ?? nil)
            moved[place] =
                place.column == LatenessTable.suspected
                ? sum.known.about(changed.filter { sum.after.cell(of: $0) == cell })
                : sum.events[cell] ?? []
        }
        return MetricsDiff(
            stamp: stamp(
                MetricName.definition(MetricName.lateness.rawValue), frame.zone, frame.interval,
                remarks: remarks(sum.chainCount)),
            dimensions: frame.dimensions.map(\.rawValue), before: before, after: knowledge,
            zone: frame.zone,
            cells: try cells(old, new, moved, columns: LatenessTable.columns.map(\.name)))
    }

    private func deliveries(
        _ empty: LatenessTable, _ before: AsOf
    ) async throws(MetricsError) -> Deliveries {
        let after = knowledge
        do throws(StoreError) {
            return try await walk.sumFacts(
                Deliveries(before: empty, after: empty),
                adding: { sum, chain, facts in
                    sum.chainCount += 1
                    for fact in facts {
                        let (old, new) = (before.admits(fact), after.admits(fact))
                        if old { sum.before.add(fact, of: chain.bundleId) }
                        if new { sum.after.add(fact, of: chain.bundleId) }
                        guard old != new else { continue }
                        sum.known.add(fact, of: chain.bundleId)
                        guard let cell = empty.cell(of: fact, chain.bundleId) else { continue }
                        sum.events[cell, default: []].insert(fact.position)
                    }
                },
                joining: { whole, part in
                    whole.before.add(part.before)
                    whole.after.add(part.after)
                    whole.events.merge(part.events) { $0.union($1) }
                    whole.known.add(part.known)
                    whole.chainCount += part.chainCount
                })
        } catch {
            throw .store(error)
        }
    }

    // MARK: Customers

    private struct Accounts: Sendable {
        var before: LifetimeTable
        var after: LifetimeTable
        /// Events that changed the revenue or the holder of a customer's chains.
        var events: [LifetimeTable.Customer: Set<Int64>] = [:]
        var rateGaps: Set<CurrencyRates.Gap> = []
        var chainCount = 0
    }

    /// The events of a cell are those that changed a chain of a customer whose contribution
    /// differs.
    func lifetimeDiff(
        _ words: MetricParameters, from before: AsOf
    ) async throws(MetricsError) -> MetricsDiff {
        let frame = try frame(words, before)
        guard !frame.dimensions.contains(.reason), frame.filters[.reason] == nil else {
            throw .reasonElsewhere
        }
        let empty = LifetimeTable(
            instants: frame.instants, dimensions: frame.dimensions, filters: frame.filters,
            limit: frame.limit)
        let sum = try await accounts(empty, before, limit: frame.limit)
        try requireRates(sum.rateGaps)
        var moved: [Place: Set<Int64>] = [:]
        for (customer, events) in sum.events {
            let old = MetricsQuery.values(try sum.before.only(customer).rows())
            let new = MetricsQuery.values(try sum.after.only(customer).rows())
            for place in MetricsQuery.moved(old, new) {
                moved[place, default: []].formUnion(events)
                // An average changes with its parts.
                guard let age = LifetimeTable.ageName(place.column) else { continue }
                var average = place
                average.column = "\(age).perCustomer"
                moved[average, default: []].formUnion(events)
            }
        }
        let rows = try sum.after.rows()
        var money = unpriced(rows) + (rates == nil ? [] : [.converted])
        if Set(rows.compactMap { $0.group.first ?? nil }).count > 1 {
            money.append(.severalCurrencies)
        }
        return MetricsDiff(
            stamp: stamp(
                MetricName.definition(MetricName.ltv.rawValue), frame.zone, frame.interval,
                remarks: remarks(sum.chainCount) + money, rates: rates),
            dimensions: [Dimension.currency.rawValue] + empty.dimensions.map(\.rawValue),
            before: before, after: knowledge, zone: frame.zone,
            cells: try cells(
                MetricsQuery.values(try sum.before.rows()), MetricsQuery.values(rows), moved,
                columns: LifetimeTable.columns.map(\.name)))
    }

    /// The revenue of one chain and its customer.
    private struct Income: Equatable {
        var customer: LifetimeTable.Customer
        var revenue: [Occurrence]

        /// Ignores which event proves an occurrence.
        static func == (left: Income, right: Income) -> Bool {
            func plain(_ found: [Occurrence]) -> [Occurrence] {
                found.map { occurrence in
                    var plain = occurrence
                    plain.cause = 0
                    return plain
                }
            }
            return left.customer == right.customer && plain(left.revenue) == plain(right.revenue)
        }
    }

    private func accounts(
        _ empty: LifetimeTable, _ before: AsOf, limit: Timestamp
    ) async throws(MetricsError) -> Accounts {
        let (ledger, after) = (query.ledger, knowledge)
        let conversion = RateConversion(rates, nil)
        @Sendable func income(
            _ facts: [Fact], _ chain: ChainId, _ gaps: inout Set<CurrencyRates.Gap>
        ) -> Income {
            let life = Lifecycle(
                facts, environment: ledger.environment, catalogue: ledger.catalogue)
            guard !life.isEmpty else { return Income(customer: .chain(chain), revenue: []) }
            let holder = life.holders.holders(at: limit).map(\.customer).min()
            let found = life.occurrences(
                of: .revenue, in: chain.bundleId, catalogue: ledger.catalogue, limit: limit,
                instants: [])
            return Income(
                customer: holder.map { .known(chain.bundleId, $0) } ?? .chain(chain),
                revenue: conversion.converted(found, .revenue, &gaps))
        }
        do throws(StoreError) {
            return try await walk.sumFacts(
                Accounts(before: empty, after: empty),
                adding: { sum, chain, facts in
                    sum.chainCount += 1
                    let old = facts.filter { before.admits($0) }
                    let new = facts.filter { after.admits($0) }
                    let known = Set(old.map(\.position)).symmetricDifference(new.map(\.position))
                    let then = income(old, chain, &sum.rateGaps)
                    sum.before.add(then.revenue, of: then.customer)
                    guard !known.isEmpty else {
                        return sum.after.add(then.revenue, of: then.customer)
                    }
                    let now = income(new, chain, &sum.rateGaps)
                    sum.after.add(now.revenue, of: now.customer)
                    MetricsQuery.noteMovers(
                        &sum.events, facts, known.sorted(), old, then,
                        income: { income($0, chain, &sum.rateGaps) })
                },
                joining: { whole, part in
                    whole.before.add(part.before)
                    whole.after.add(part.after)
                    whole.events.merge(part.events) { $0.union($1) }
                    whole.rateGaps.formUnion(part.rateGaps)
                    whole.chainCount += part.chainCount
                })
        } catch {
            throw .store(error)
        }
    }

    /// Folds the chain from one knowledge to the other event by event, in log order; an event is
    /// listed if it made a difference given the events before it.
    private static func noteMovers(
        _ events: inout [LifetimeTable.Customer: Set<Int64>], _ facts: [Fact], _ known: [Int64],
        _ old: [Fact], _ then: Income, income: ([Fact]) -> Income
    ) {
        let width = (known.count + MetricsDiff.stepCount - 1) / MetricsDiff.stepCount
        var positions = Set(old.map(\.position))
        var before = then
        for start in stride(from: 0, to: known.count, by: width) {
            let step = known[start..<min(start + width, known.count)]
            positions.formSymmetricDifference(step)
            let after = income(facts.filter { positions.contains($0.position) })
            if after != before {
                events[before.customer, default: []].formUnion(step)
                events[after.customer, default: []].formUnion(step)
            }
            before = after
        }
    }

    /// Values of 0 are omitted.
    private static func values(_ rows: [MetricReport.Row]) -> [Place: Int64] {
        values(
            rows.map { row in
                CellTable.Row(
                    from: row.from, to: row.to, group: row.group, values: row.amounts)
            })
    }
}
