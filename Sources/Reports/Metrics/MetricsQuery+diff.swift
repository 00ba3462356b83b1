import AppStore
import Ledger
internal import Projection
internal import Queries

extension MetricsQuery {
    /// The cells of a metric that differ between two states of knowledge, up to the earliest of
    /// both and now. This query's own knowledge is the later one.
    public func diff(
        _ metric: MetricName, _ parameters: MetricParameters, from before: AsOf
    ) async throws(MetricsError) -> Report {
        let common = before.knownAt.map { min($0, limit) } ?? limit
        let scope = try parameters.scope(reportTimeZone, limit: common)
        var query = self
        query.rates = rates?.used(by: metric, scope, limit: common)
        return try await query.diff(metric, scope, from: before, limit: common)
    }

    /// By the rates used.
    private func diff(
        _ metric: MetricName, _ scope: MetricScope, from before: AsOf, limit common: Timestamp
    ) async throws(MetricsError) -> Report {
        try requireConvertible(scope)
        let empty: CellTable
        switch metric {
        case .churn(let isPaid):
            let question = scope.question(isPaid ? .paidChains : .chains)
            empty = .rollForward(RollForward(question), nil)
        case .counted(let counted):
            guard !scope.hasReason else { throw .reasonElsewhere }
            empty = .counted(scope.counts(of: counted))
        case .lateness: return try await latenessDiff(scope, before, limit: common)
        case .ltv: return try await lifetimeDiff(scope, before, limit: common)
        case .mrr, .mrrMovement, .arr:
            empty = .rollForward(RollForward(scope.question(.money)), RecurringMoney(metric))
        }
        // Counts of chains need no conversion.
        let isMoney = metric.isMoney
        let conversion = RateConversion(
            rates: isMoney ? rates : nil, question: empty.question, zone: scope.zone)
        let sum = try await compare(empty, before, limit: common, conversion)
        try requireRates(sum.rateGaps)
        guard !sum.before.isTooLarge, !sum.after.isTooLarge else { throw .amountTooLarge }
        let cells = try cells(
            MetricsQuery.values(sum.before, in: sum.events),
            MetricsQuery.values(sum.after, in: sum.events),
            sum.events, columns: sum.after.columns.map(\.name))
        var named = scope.dimensions.filter { !isMoney || $0 != .currency }
        if scope.filters[.reason] != nil, !named.contains(.reason) { named.append(.reason) }
        var seen = SeenValues(scope.dimensions, scope.filters, snapshot.ledger.catalogue)
        var money = isMoney ? try await remarks(on: sum.after) : []
        if isMoney, rates != nil { money.append(.converted) }
        // Classes do not cover one-time purchases.
        if case .rollForward = sum.after {
            try await noteClasses(&seen)
        } else {
            seen = SeenValues()
        }
        return try await difference(
            metric, scope, before, remarks(sum.chainCount > 0, seen) + money,
            (isMoney ? [.currency] : []) + named, cells, money: sum.after.moneyColumns)
    }

    func difference(
        _ metric: MetricName, _ scope: MetricScope, _ before: AsOf,
        _ remarks: [MetricsRemark], _ dimensions: [Dimension], _ cells: [Report.Row],
        money columns: Set<String> = []
    ) async throws(MetricsError) -> Report {
        var report = Report(
            stamp: try await stamp(
                metric.definition, scope, remarks: remarks, rates: metric.isMoney ? rates : nil),
            subject: .diff(before: before, after: knowledge), scope: scope,
            dimensions: dimensions.map(\.rawValue) + ["column"],
            columns: [.count("before"), .count("after")], rows: cells)
        report.moneyColumns = columns
        return report
    }

    /// The remarks on money that the compared answers themselves carry.
    private func remarks(on table: CellTable) async throws(MetricsError) -> [MetricsRemark] {
        var currencies: Set<String> = []
        var remarks: [MetricsRemark] = []
        var tally = Tally()
        table.forEachRow { row in
            if let currency = row.group.first ?? nil { currencies.insert(currency) }
        }
        switch table {
        case .counted(let counted):
            tally.hasUnpriced = counted.rows().contains { $0["unpriced"] > 0 }
            if counted.metric == .proceeds { remarks.append(.estimate) }
        case .rollForward:
            for counted in try await classes() { tally.note(counted) }
        }
        return remarks + tally.remarks + (currencies.count > 1 ? [.severalCurrencies] : [])
    }

    /// A cell of a compared table.
    struct Place: Hashable, Sendable {
        var from: Timestamp
        var to: Timestamp
        var group: [String?]
        var column: String
    }

    private func compare(
        _ empty: CellTable, _ before: AsOf, limit: Timestamp,
        _ conversion: RateConversion
    ) async throws(MetricsError) -> StatesCompared<CellTable, Place> {
        let (ledger, after) = (snapshot.ledger, knowledge)
        return try await sumFacts(StatesCompared(empty)) { sum, chain, facts in
            let compared = FactsCompared(facts, before, after)
            if !compared.new.isEmpty || !compared.old.isEmpty { sum.chainCount += 1 }
            /// The chain's part by the given facts; empty for a chain without facts.
            func lone(_ facts: [Fact]) -> CellTable {
                var alone = empty
                let life = ledger.life(of: facts)
                guard !facts.isEmpty, !life.isEmpty else { return alone }
                alone.add(
                    life, of: chain.bundleId, catalogue: ledger.catalogue, limit: limit, conversion,
                    &sum.rateGaps)
                return alone
            }
            let then = lone(compared.old)
            sum.before.add(then)
            // Identical facts cannot differ in result.
            guard !compared.known.isEmpty else { return sum.after.add(then) }
            let now = lone(compared.new)
            sum.after.add(now)
            let places = MetricsQuery.moved(then, now)
            guard !places.isEmpty else { return }
            var moved: [Place: CellEvents] = [:]
            compared.forEachStep(from: then, lone) { before, after, events in
                let events = CellEvents(events)
                for place in MetricsQuery.moved(before, after) {
                    moved[place, default: CellEvents()].add(events)
                }
            }
            for place in places {
                sum.events[place, default: CellEvents()].add(
                    moved[place] ?? CellEvents(compared.known))
            }
        }
    }

    static func moved(_ before: [Place: Int64], _ after: [Place: Int64]) -> Set<Place> {
        Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
    }

    private static func moved(_ before: CellTable, _ after: CellTable) -> Set<Place> {
        var places = Set(values(after.difference(from: before)).keys)
        guard case .rollForward(_, _?) = before else { return places }
        for place in places {
            // A twelfth is rounded once per sum, so it can change where no chain's own does.
            guard let month = RecurringMoney.month(of: place.column) else { continue }
            var twelfth = place
            twelfth.column = month
            places.insert(twelfth)
        }
        return places
    }

    /// The values of a table in the cells that may differ, which are far fewer than all.
    private static func values(
        _ table: CellTable, in moved: [Place: CellEvents]
    ) -> [Place: Int64] {
        var found: [Place: Int64] = [:]
        table.forEachRow { row in
            for (place, amount) in values([row]) where moved[place] != nil {
                found[place] = amount
            }
        }
        return found
    }

    /// Values of 0 are omitted, except averages, for which 0 differs from no value.
    static func values(_ rows: [Report.Row]) -> [Place: Int64] {
        var values: [Place: Int64] = [:]
        for row in rows {
            for (column, amount) in row.amounts
            where amount != 0 || LifetimeTable.isAverage(column) {
                values[
                    Place(from: row.from, to: row.to, group: row.group, column: column)] = amount
            }
        }
        return values
    }

    /// Cells whose sums differ, in the order of intervals, groups and columns.
    ///
    /// - Parameter moved: the responsible events, for every cell that may differ.
    func cells(
        _ before: [Place: Int64], _ after: [Place: Int64], _ moved: [Place: CellEvents],
        columns: [String]
    ) throws(MetricsError) -> [Report.Row] {
        var order: [String: Int] = [:]
        for (place, column) in columns.enumerated() { order[column] = place }
        let places = moved.keys.filter { before[$0] != after[$0] }.sorted { left, right in
            if left.from != right.from { return left.from < right.from }
            if left.group != right.group {
                return RollForwardQuery.precedes(left.group, right.group)
            }
            return order[left.column] ?? 0 < order[right.column] ?? 0
        }
        guard places.count <= MetricsLimits.cellCount else { throw .tooManyRows }
        return places.map { place in
            let events = moved[place] ?? CellEvents()
            return Report.Row(
                from: place.from, to: place.to, group: place.group + [place.column],
                amounts: ["before": before[place], "after": after[place]].compactMapValues(\.self),
                events: events.positions, eventsOmitted: events.omittedCount)
        }
    }
}
