import AppStore
import Ledger
import LedgerStore
internal import Projection
internal import Queries
internal import SQLiteStore

/// The metric by which two states of knowledge are compared.
public enum ComparedMetric: Sendable, Hashable {
    case churn(isPaid: Bool)
    case metric(MetricName)

    /// `churn`, or the name of another metric.
    public init(_ name: String) throws(MetricsError) {
        self = name == MetricName.churn ? .churn(isPaid: false) : .metric(try MetricName(name))
    }

    /// The requested name.
    var name: String {
        switch self {
        case .churn: MetricName.churn
        case .metric(let name): name.rawValue
        }
    }

    var definition: String {
        switch self {
        case .churn(let isPaid):
            MetricName.definition(isPaid ? MetricName.paidChurn : MetricName.churn)
        case .metric(let name): MetricName.definition(name.rawValue)
        }
    }
}

extension MetricsQuery {
    /// The cells of a metric that differ between two states of knowledge, up to the earliest of
    /// both and now. This query's own knowledge is the later one.
    public func diff(
        _ metric: ComparedMetric, _ words: MetricParameters, from before: AsOf
    ) async throws(MetricsError) -> MetricsDiff {
        let zone = try words.zone(reportTimeZone)
        let interval = try words.reportInterval()
        let common = before.knownAt.map { min($0, limit) } ?? limit
        let instants = try words.instants(interval, zone, limit: common)
        let (dimensions, filters) = (try words.dimensions(), try words.conditions())
        guard rates == nil || !dimensions.contains(.currency) && filters[.currency] == nil else {
            throw .currencyConverted
        }
        let empty: CellTable
        var isMoney = false
        switch metric {
        case .churn(let isPaid):
            empty = .rollForward(
                RollForward(
                    RollForwardQuestion(
                        isPaid ? .paidChains : .chains, instants: instants,
                        dimensions: dimensions, filters: filters)))
        case .metric(.counted(let counted)):
            isMoney = counted.isMoney
            guard !dimensions.contains(.reason), filters[.reason] == nil else {
                throw .reasonElsewhere
            }
            empty = .counted(
                CountTable(counted, instants: instants, dimensions: dimensions, filters: filters))
        case .metric(.lateness): return try await latenessDiff(words, from: before)
        case .metric(.ltv): return try await lifetimeDiff(words, from: before)
        case .metric:
            isMoney = true
            empty = .rollForward(
                RollForward(
                    RollForwardQuestion(
                        .money, instants: instants, dimensions: dimensions, filters: filters)))
        }
        // Counts of chains need no conversion.
        let conversion = RateConversion(isMoney ? rates : nil, empty.question)
        let sum = try await compare(empty, before, limit: common, conversion)
        try requireRates(sum.rateGaps)
        let cells = try cells(sum)
        var named = dimensions.filter { !isMoney || $0 != .currency }
        if filters[.reason] != nil, !named.contains(.reason) { named.append(.reason) }
        var seen = SeenValues(dimensions, filters, query.ledger.catalogue)
        var money = isMoney ? try await remarks(on: sum.after) : []
        if isMoney, rates != nil { money.append(.converted) }
        // Classes do not cover one-time purchases.
        if case .rollForward = sum.after {
            try await noteClasses(&seen)
        } else {
            seen = SeenValues()
        }
        return MetricsDiff(
            stamp: stamp(
                metric.definition, zone, interval, remarks: remarks(sum.chainCount, seen) + money,
                rates: isMoney ? rates : nil),
            dimensions: (isMoney ? [Dimension.currency.rawValue] : []) + named.map(\.rawValue),
            before: before, after: knowledge, zone: zone, cells: cells)
    }

    /// The remarks on money that the compared answers themselves carry.
    private func remarks(on table: CellTable) async throws(MetricsError) -> [MetricsRemark] {
        let rows = table.rows()
        var remarks: [MetricsRemark] = []
        var tally = Tally()
        switch table {
        case .counted(let counted):
            tally.hasUnpriced = rows.contains { $0.values["unpriced"] ?? 0 > 0 }
            if counted.metric == .proceeds { remarks.append(.estimate) }
        case .rollForward:
            do throws(StoreError) {
                for counted in try await query.projections.metricClasses().classes
                where bundleId == nil || counted.values.app == bundleId {
                    tally.note(counted)
                }
            } catch {
                throw .store(error)
            }
        }
        if tally.hasInferredPeriods { remarks.append(.inferredPeriods) }
        if tally.hasUnpriced { remarks.append(.unpriced) }
        if Set(rows.compactMap { $0.group.first ?? nil }).count > 1 {
            remarks.append(.severalCurrencies)
        }
        return remarks
    }

    /// A cell of a compared table.
    struct Place: Hashable, Sendable {
        var from: Timestamp
        var to: Timestamp
        var group: [String?]
        var column: String
    }

    private struct Comparison: Sendable {
        var before: CellTable
        var after: CellTable
        var moved: [Place: Set<Int64>] = [:]
        var chainCount = 0
        /// Why amounts could not be converted.
        var rateGaps: Set<CurrencyRates.Gap> = []
    }

    private func compare(
        _ empty: CellTable, _ before: AsOf, limit: Timestamp,
        _ conversion: RateConversion
    ) async throws(MetricsError) -> Comparison {
        let (ledger, after) = (query.ledger, knowledge)
        let alone = LoneChain(
            ledger: ledger, limit: limit, empty: empty, conversion: conversion)
        do throws(StoreError) {
            return try await walk.sumFacts(
                Comparison(before: empty, after: empty),
                adding: { sum, chain, facts in
                    let (old, new) = (
                        facts.filter { before.admits($0) }, facts.filter { after.admits($0) }
                    )
                    if !new.isEmpty || !old.isEmpty { sum.chainCount += 1 }
                    func lone(_ facts: [Fact]) -> CellTable {
                        alone.table(facts, chain, &sum.rateGaps)
                    }
                    let then = lone(old)
                    sum.before.add(then)
                    let known = Set(old.map(\.position)).symmetricDifference(new.map(\.position))
                    // Identical facts cannot differ in result.
                    guard !known.isEmpty else { return sum.after.add(then) }
                    let now = lone(new)
                    sum.after.add(now)
                    let places = MetricsQuery.moved(
                        MetricsQuery.values(then.rows()), MetricsQuery.values(now.rows()))
                    guard !places.isEmpty else { return }
                    let moved = MetricsQuery.movers(facts, known.sorted(), old, then, lone)
                    for place in places {
                        sum.moved[place, default: []].formUnion(moved[place] ?? known)
                    }
                },
                joining: { whole, part in
                    whole.before.add(part.before)
                    whole.after.add(part.after)
                    whole.moved.merge(part.moved) { $0.union($1) }
                    whole.chainCount += part.chainCount
                    whole.rateGaps.formUnion(part.rateGaps)
                })
        } catch {
            throw .store(error)
        }
    }

    /// Computes one chain's part of a metric.
    private struct LoneChain: Sendable {
        let ledger: EnvironmentLedger
        let limit: Timestamp
        let empty: CellTable
        let conversion: RateConversion

        /// The part by the given facts; empty for a chain without facts.
        func table(
            _ facts: [Fact], _ chain: ChainId, _ gaps: inout Set<CurrencyRates.Gap>
        ) -> CellTable {
            var alone = empty
            guard !facts.isEmpty else { return alone }
            let life = Lifecycle(
                facts, environment: ledger.environment, catalogue: ledger.catalogue)
            guard !life.isEmpty else { return alone }
            alone.add(
                life, of: chain.bundleId, catalogue: ledger.catalogue, limit: limit, conversion,
                &gaps)
            return alone
        }
    }

    static func moved(_ before: [Place: Int64], _ after: [Place: Int64]) -> Set<Place> {
        Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
    }

    /// The events that changed one chain's contribution to each place. The chain is folded from one
    /// knowledge to the other event by event, in log order; an event is listed if it made a
    /// difference given the events before it.
    ///
    /// - Parameter known: ascending; the events that only one of the two contains.
    private static func movers(
        _ facts: [Fact], _ known: [Int64], _ old: [Fact], _ then: CellTable,
        _ alone: ([Fact]) -> CellTable
    ) -> [Place: Set<Int64>] {
        let width = (known.count + MetricsDiff.stepCount - 1) / MetricsDiff.stepCount
        var positions = Set(old.map(\.position))
        var before = values(then.rows())
        var movers: [Place: Set<Int64>] = [:]
        for start in stride(from: 0, to: known.count, by: width) {
            let step = known[start..<min(start + width, known.count)]
            positions.formSymmetricDifference(step)
            let after = values(alone(facts.filter { positions.contains($0.position) }).rows())
            for place in moved(before, after) { movers[place, default: []].formUnion(step) }
            before = after
        }
        return movers
    }

    /// Values of 0 are omitted.
    static func values(_ rows: [CellTable.Row]) -> [Place: Int64] {
        var values: [Place: Int64] = [:]
        for row in rows {
            for (column, amount) in row.values where amount != 0 {
                values[
                    Place(from: row.from, to: row.to, group: row.group, column: column)] = amount
            }
        }
        return values
    }

    private func cells(_ sum: Comparison) throws(MetricsError) -> [MetricsDiff.Cell] {
        guard !sum.before.isTooLarge, !sum.after.isTooLarge else { throw .amountTooLarge }
        return try cells(
            MetricsQuery.values(sum.before.rows()), MetricsQuery.values(sum.after.rows()),
            sum.moved, columns: sum.after.columns)
    }

    /// Cells whose sums differ, in the order of intervals, groups and columns.
    ///
    /// - Parameter moved: the responsible events, for every cell that may differ.
    func cells(
        _ before: [Place: Int64], _ after: [Place: Int64], _ moved: [Place: Set<Int64>],
        columns: [String]
    ) throws(MetricsError) -> [MetricsDiff.Cell] {
        var order: [String: Int] = [:]
        for (place, column) in columns.enumerated() { order[column] = place }
        let places = moved.keys.filter { before[$0] != after[$0] }.sorted { left, right in
            if left.from != right.from { return left.from < right.from }
            if left.group != right.group {
                return RollForwardQuestion.precedes(left.group, right.group)
            }
            return order[left.column] ?? 0 < order[right.column] ?? 0
        }
        guard places.count <= MetricsDiff.cellCount else { throw .tooManyRows }
        return places.map { place in
            let events = (moved[place] ?? []).sorted()
            return MetricsDiff.Cell(
                from: place.from, to: place.to, group: place.group, column: place.column,
                before: before[place] ?? 0, after: after[place] ?? 0,
                events: Array(events.prefix(MetricsDiff.eventCount)),
                eventsOmitted: max(0, events.count - MetricsDiff.eventCount))
        }
    }
}
