import AppStore
import Ledger
internal import Projection
internal import Queries

extension MetricsQuery {
    /// Any metric.
    public func metric(
        _ name: MetricName, _ parameters: MetricParameters
    ) async throws(MetricsError) -> Report {
        if case .churn(let isPaid) = name {
            return try await churn(parameters, isPaid: isPaid)
        }
        let scope = try parameters.scope(reportTimeZone, limit: limit)
        var query = self
        query.rates = rates?.used(by: name, scope, limit: limit)
        return try await query.metric(name, scope)
    }

    /// By the rates used.
    private func metric(
        _ name: MetricName, _ scope: MetricScope
    ) async throws(MetricsError) -> Report {
        guard name == .mrrMovement || !scope.hasReason else { throw .reasonElsewhere }
        try requireConvertible(scope)
        var seen = SeenValues(scope.dimensions, scope.filters, snapshot.ledger.catalogue)
        let answer: Answer
        switch name {
        case .counted(let metric):
            answer = try await counted(scope.counts(of: metric), seen, scope.zone)
        case .lateness:
            answer = try await lateness(scope.delays(), scope.dimensions, seen)
        case .ltv:
            answer = try await lifetime(scope.payments(until: limit), seen, scope.zone)
        case .churn, .mrr, .mrrMovement, .arr:
            answer = try await money(scope.question(.money), name, scope.zone)
            try await noteClasses(&seen)
        }
        try requireRates(answer.tally.rateGaps)
        seen.add(answer.tally.seen)
        guard answer.rows.count <= MetricsLimits.rowCount else { throw .tooManyRows }
        return Report(
            stamp: try await stamp(
                name.definition, scope,
                remarks: remarks(answer.tally.hasChains, seen) + answer.remarks
                    + (name.isMoney ? money(answer) : []),
                rates: name.isMoney ? rates : nil, of: answer.rollForward),
            subject: .metric(name, outages: answer.outages), scope: scope,
            dimensions: ((name.isMoney ? [.currency] : []) + answer.dimensions).map(\.rawValue),
            columns: answer.columns,
            rates: answer.rates, rows: answer.rows)
    }

    /// Observations about all chains, collected with the counts.
    struct Tally: Summable {
        var hasChains = false
        var hasInferredPeriods = false
        var hasUnpriced = false
        var hasProductsOutsideCatalogue = false
        /// Why amounts could not be converted.
        var rateGaps: Set<CurrencyRates.Gap> = []
        var seen = SeenValues()

        init(_ seen: SeenValues = SeenValues()) { self.seen = seen }

        mutating func note(_ chain: ChainMetrics, _ catalogue: Catalogue) {
            for stretch in chain.stretches where stretch.isCounted {
                if let counted = CountedClass(stretch) { note(counted) }
                if let product = stretch.values.product, catalogue.products[product] == nil {
                    hasProductsOutsideCatalogue = true
                }
            }
        }

        mutating func note(_ counted: CountedClass) {
            if counted.isActive, counted.isInferred { hasInferredPeriods = true }
            if counted.isPaid, counted.annualised == nil { hasUnpriced = true }
        }

        /// On periods and prices.
        var remarks: [MetricsRemark] {
            (hasInferredPeriods ? [.inferredPeriods] : []) + (hasUnpriced ? [.unpriced] : [])
        }

        mutating func add(_ other: Tally) {
            hasChains = hasChains || other.hasChains
            rateGaps.formUnion(other.rateGaps)
            seen.add(other.seen)
            hasInferredPeriods = hasInferredPeriods || other.hasInferredPeriods
            hasUnpriced = hasUnpriced || other.hasUnpriced
            hasProductsOutsideCatalogue =
                hasProductsOutsideCatalogue || other.hasProductsOutsideCatalogue
        }
    }

    /// A table and its observations.
    struct Tallied<Table: Summable>: Summable {
        var table: Table
        var tally: Tally

        mutating func add(_ other: Tallied) {
            table.add(other.table)
            tally.add(other.tally)
        }
    }

    struct Answer {
        var tally: Tally
        var dimensions: [Dimension]
        var columns: [CountColumn]
        var rates: [CountRate] = []
        var rows: [Report.Row]
        var remarks: [MetricsRemark] = []
        var outages: [SuspectedOutage]?
        /// Set where the rows come from a roll-forward.
        var rollForward: RollForwardAnswer?
    }

    /// Remarks on the currencies of an answer.
    private func money(_ answer: Answer) -> [MetricsRemark] {
        rates != nil ? [.converted] : answer.rows.currencyRemarks
    }

    /// A remark if any row counts missing amounts in the column `unpriced`.
    func unpriced(_ rows: [Report.Row]) -> [MetricsRemark] {
        rows.contains { $0.amounts["unpriced"] ?? 0 > 0 } ? [.unpriced] : []
    }

    /// Rates convert all amounts into one currency.
    func requireConvertible(_ scope: MetricScope) throws(MetricsError) {
        guard
            rates == nil
                || !scope.dimensions.contains(.currency) && scope.filters[.currency] == nil
        else { throw .currencyConverted }
    }

    func requireRates(_ gaps: Set<CurrencyRates.Gap>) throws(MetricsError) {
        var (missing, tooLarge): ([String], [String]) = ([], [])
        var days: [String: [CivilDate]] = [:]
        for gap in gaps {
            switch gap {
            case .missing(let currency):
                missing.append(currency + (rates?.day.map { " on \($0.text)" } ?? ""))
            case .missingOn(let currency, let day): days[currency, default: []].append(day)
            case .tooLarge(let currency): tooLarge.append(currency)
            }
        }
        missing += days.map { currency, days in
            let first = days.map(\.text).min() ?? ""
            let rest = days.count > 1 ? " and \(days.count - 1) later days" : ""
            return "\(currency) on \(first)\(rest)"
        }
        if !missing.isEmpty { throw .missingRates(missing.sorted()) }
        if !tooLarge.isEmpty { throw .rateTooLarge(tooLarge.sorted()) }
    }

    // MARK: Counted metrics

    private func counted(
        _ empty: CountTable, _ seen: SeenValues, _ zone: ReportZone
    ) async throws(MetricsError) -> Answer {
        let (catalogue, limit, metric) = (snapshot.ledger.catalogue, limit, empty.metric)
        let instants = empty.question.instants
        let conversion = RateConversion(rates: rates, question: empty.question, zone: zone)
        let needsCatalogue = [.productChanges, .retention].contains(metric)
        var bounded = empty
        bounded.keptCount = MetricsLimits.provenCount
        let sum = try await sumLives(Tallied(table: bounded, tally: Tally(seen))) {
            sum, chain, life in
            sum.tally.hasChains = true
            let found = life.occurrences(
                of: metric, in: chain.bundleId, catalogue: catalogue, limit: limit,
                instants: instants)
            for occurrence in found { sum.tally.seen.note(occurrence.values) }
            sum.table.add(conversion.converted(found, metric, &sum.tally.rateGaps))
            guard needsCatalogue, !life.isOneTime else { return }
            sum.tally.note(
                ChainMetrics(life, of: chain.bundleId, catalogue: catalogue), catalogue)
        }
        let (table, tally) = (sum.table, sum.tally)
        let rows = table.rows().map { Report.Row($0) }
        // Of too many cells the order decides which are kept.
        guard rows.count > MetricsLimits.rowCount || !table.isTooLarge else {
            throw .amountTooLarge
        }
        var remarks: [MetricsRemark] = []
        if tally.hasInferredPeriods { remarks.append(.inferredPeriods) }
        remarks += unpriced(rows)
        if tally.hasProductsOutsideCatalogue { remarks.append(.notInCatalogue) }
        if metric == .proceeds { remarks.append(.estimate) }
        return Answer(
            tally: tally, dimensions: empty.question.dimensions,
            columns: metric.columns, rates: metric.rates, rows: rows, remarks: remarks)
    }

    // MARK: Recurring money

    private func money(
        _ question: RollForwardQuery, _ name: MetricName, _ zone: ReportZone
    ) async throws(MetricsError) -> Answer {
        let answer = try await rollForward(question, by: zone)
        let money = RecurringMoney(name)
        return Answer(
            tally: answer.tally, dimensions: question.dimensions,
            columns: money.columns,
            rows: answer.rollForward.rows(atMost: MetricsLimits.provenCount).map {
                CellTable.row($0, money)
            },
            remarks: answer.tally.remarks, rollForward: answer)
    }
}
