import Ledger

/// A column of a report whose figures are sums over chains.
struct CellColumn {
    /// What is summed.
    enum Figure {
        case rollForward(RollForwardFigure, RollForwardQuery.Measure)
        case counted(CountedMetric)
        /// Deliveries; late ones alone.
        case delivered(isLate: Bool)
        /// Of customers, each of whom may hold several chains.
        case lifetime
    }

    let figure: Figure
    /// The name, and the unit of the sum: money of a year for recurring money, of which a report
    /// also has a twelfth, rounded once.
    let column: CountColumn

    /// Throws `unknownColumn` with the columns of the metric.
    init(_ name: String, of metric: MetricName) throws(MetricsError) {
        let known: [CountColumn]
        switch metric {
        case .counted(let counted):
            known = counted.columns
            figure = .counted(counted)
        case .churn(let isPaid):
            known = Report.churnColumns(isPaid: isPaid).filter { $0.name != "residue" }
            figure = .rollForward(
                CellColumn.figure(name) ?? .activeEnd, isPaid ? .paidChains : .chains)
        case .mrr, .arr, .mrrMovement:
            known = RecurringMoney(metric).columns.filter { $0.name != "annualised.residue" }
            figure = .rollForward(CellColumn.money(name), .money)
        case .lateness:
            known = LatenessTable.columns.filter { ["notifications", "late"].contains($0.name) }
            figure = .delivered(isLate: name == "late")
        case .ltv:
            // An average is no sum.
            known = LifetimeTable.columns.filter { !LifetimeTable.isAverage($0.name) }
            figure = .lifetime
        }
        guard let found = known.first(where: { $0.name == name }) else {
            throw .unknownColumn(name, known: known.map(\.name).joined(separator: ", "))
        }
        let isRecurring = [.mrr, .arr, .mrrMovement].contains(metric) && found.unit == .milliunits
        column = CountColumn(
            name: name, unit: isRecurring ? .annualisedMilliunits : found.unit)
    }

    /// Of a column of a roll-forward of chains; nil for an unknown name.
    private static func figure(_ name: String) -> RollForwardFigure? {
        switch name {
        case "activeStart", "start": .activeStart
        case "activeEnd", "end": .activeEnd
        case "churned.total": .churned
        case "unpriced": .unpricedEnd
        default: RollForwardColumn.all.first { $0.name == name }.map { .column($0) }
        }
    }

    /// Of a column of recurring money, by its name with or without `annualised`.
    private static func money(_ name: String) -> RollForwardFigure {
        figure(RecurringMoney.month(of: name) ?? name) ?? .activeEnd
    }
}

extension Report {
    /// The columns whose figures are sums over chains, which `MetricsQuery.cell` names; none of
    /// comparisons and differences.
    package var columnsOfChains: Set<String> {
        let metric: MetricName
        switch subject {
        case .churn(let question, _): metric = .churn(isPaid: question.measure == .paidChains)
        case .metric(let name, _): metric = name
        case .comparison, .diff: return []
        }
        let names = columns.map(\.name)
        return Set(names.filter { (try? CellColumn($0, of: metric)) != nil })
    }

    /// The cell whose chains add up to our figure in a row of a comparison; nil where no report of
    /// the metric has one, such as the losses by a product's reason.
    package func ownCell(
        _ row: Row, _ column: CountColumn, of metric: String
    ) -> (column: String, group: [String])? {
        guard case .comparison = subject, column == Comparison.ours,
            let metric = try? MetricName(compared: metric),
            let currency = row.group.first, let figure = row.group.last ?? nil
        else { return nil }
        let column = figure == "churned" ? "churned.total" : figure
        guard (try? CellColumn(column, of: metric)) != nil else { return nil }
        let group = metric.isMoney ? ["\(Dimension.currency.rawValue)=\(currency ?? "")"] : []
        return (column, group)
    }
}
