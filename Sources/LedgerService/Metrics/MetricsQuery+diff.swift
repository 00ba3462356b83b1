import AppStore
import Ledger
import LedgerStore

/// Which metric two states of knowledge are compared by.
public enum ComparedMetric: Sendable, Hashable {
    case churn(isPaid: Bool)
    case metric(MetricName)

    /// `churn`, or the name of another metric.
    public init(_ name: String) throws(MetricsError) {
        self = name == MetricName.churn ? .churn(isPaid: false) : .metric(try MetricName(name))
    }

    /// As it was asked for.
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
    /// The cells of a metric that differ between two states of knowledge, up to the earlier of both
    /// and of now. This query's own knowledge is the later one.
    public func diff(
        _ metric: ComparedMetric, _ words: MetricsWords, from before: KnowledgeLimit
    ) async throws(MetricsError) -> MetricsDiff {
        let zone = try words.zone(reportTimeZone)
        let interval = try words.reportInterval()
        let common = before.knownAt.map { min($0, limit) } ?? limit
        let instants = try words.instants(interval, zone, limit: common)
        let (dimensions, filters) = (try words.dimensions(), try words.conditions())
        guard rates == nil || !dimensions.contains(.currency) && filters[.currency] == nil else {
            throw .currencyConverted
        }
        let empty: MetricTable
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
        case .metric(.lateness), .metric(.ltv): throw .unknownMetric(metric.name)
        case .metric:
            isMoney = true
            empty = .rollForward(
                RollForward(
                    RollForwardQuestion(
                        .money, instants: instants, dimensions: dimensions, filters: filters)))
        }
        // Where chains are counted there is nothing to convert.
        let conversion = RateConversion(isMoney ? rates : nil, empty.question)
        let sum = try await compare(empty, before, limit: common, conversion)
        guard sum.missingRates.isEmpty else { throw .missingRates(sum.missingRates.sorted()) }
        let cells = try cells(sum)
        var named = dimensions.filter { !isMoney || $0 != .currency }
        if filters[.reason] != nil, !named.contains(.reason) { named.append(.reason) }
        return MetricsDiff(
            stamp: stamp(
                metric.definition, zone, interval,
                remarks: remarks(sum.chainCount) + (isMoney && rates != nil ? [.converted] : []),
                rates: isMoney ? rates : nil),
            dimensions: (isMoney ? [Dimension.currency.rawValue] : []) + named.map(\.rawValue),
            before: before, after: knowledge, zone: zone, cells: cells)
    }

    private struct Place: Hashable, Sendable {
        var from: Timestamp
        var to: Timestamp
        var group: [String?]
        var column: String
    }

    private struct Comparison: Sendable {
        var before: MetricTable
        var after: MetricTable
        var moved: [Place: Set<Int64>] = [:]
        var chainCount = 0
        /// Currencies that something to convert is in, and no rate is given for.
        var missingRates: Set<String> = []
    }

    private func compare(
        _ empty: MetricTable, _ before: KnowledgeLimit, limit: Timestamp,
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
                    let known = Set(old.map(\.position)).symmetricDifference(new.map(\.position))
                    let then = alone.table(old, chain, &sum.missingRates)
                    sum.before.add(then)
                    // What both know alike cannot differ.
                    guard !known.isEmpty else { return sum.after.add(then) }
                    let now = alone.table(new, chain, &sum.missingRates)
                    sum.after.add(now)
                    for place in MetricsQuery.moved(then.rows(), now.rows()) {
                        sum.moved[place, default: []].formUnion(known)
                    }
                },
                joining: { whole, part in
                    whole.before.add(part.before)
                    whole.after.add(part.after)
                    whole.moved.merge(part.moved) { $0.union($1) }
                    whole.chainCount += part.chainCount
                    whole.missingRates.formUnion(part.missingRates)
                })
        } catch {
            throw .store(error)
        }
    }

    /// One chain's part of a metric.
    private struct LoneChain: Sendable {
        let ledger: EnvironmentLedger
        let limit: Timestamp
        let empty: MetricTable
        let conversion: RateConversion

        /// As some facts tell it; nothing of a chain that they do not know.
        func table(
            _ facts: [Fact], _ chain: ChainId, _ missing: inout Set<String>
        ) -> MetricTable {
            var alone = empty
            guard !facts.isEmpty else { return alone }
            let life = Lifecycle(
                facts, environment: ledger.environment, catalogue: ledger.catalogue)
            guard !life.isEmpty else { return alone }
            alone.add(
                life, of: chain.bundleId, catalogue: ledger.catalogue, limit: limit, conversion,
                &missing)
            return alone
        }
    }

    private static func moved(_ old: [MetricTable.Row], _ new: [MetricTable.Row]) -> Set<Place> {
        let (before, after) = (values(old), values(new))
        return Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
    }

    /// What is 0 is left out.
    private static func values(_ rows: [MetricTable.Row]) -> [Place: Int64] {
        var values: [Place: Int64] = [:]
        for row in rows {
            for (column, amount) in row.values where amount != 0 {
                values[
                    Place(from: row.from, to: row.to, group: row.group, column: column)] = amount
            }
        }
        return values
    }

    /// Cells whose sums differ, in the order of intervals, groups and columns.
    private func cells(_ sum: Comparison) throws(MetricsError) -> [MetricsDiff.Cell] {
        let before = MetricsQuery.values(sum.before.rows())
        let after = MetricsQuery.values(sum.after.rows())
        var order: [String: Int] = [:]
        for (place, column) in sum.after.columns.enumerated() { order[column] = place }
        let places = sum.moved.keys.filter { before[$0] != after[$0] }.sorted { left, right in
            if left.from != right.from { return left.from < right.from }
            if left.group != right.group {
                return RollForwardQuestion.precedes(left.group, right.group)
            }
            return order[left.column] ?? 0 < order[right.column] ?? 0
        }
        guard places.count <= MetricsDiff.cellCount else { throw .tooManyRows }
        return places.map { place in
            let events = (sum.moved[place] ?? []).sorted()
            return MetricsDiff.Cell(
                from: place.from, to: place.to, group: place.group, column: place.column,
                before: before[place] ?? 0, after: after[place] ?? 0,
                events: Array(events.prefix(MetricsDiff.eventCount)),
                eventsOmitted: max(0, events.count - MetricsDiff.eventCount))
        }
    }
}
