internal import AppStore
internal import Ledger
internal import Projection
package import Reports

/// A chart of a report over its intervals or cohorts: for churn, stacked bars by reason and the
/// rate; for other metrics, a line per column and group. SVG without scripts; its colours follow
/// the reader's light or dark scheme.
package struct ReportChart: Sendable {
    let title: String
    /// Below the title: the filters, the knowledge of the answer, and its remarks.
    let notes: [String]
    /// One for each interval.
    let labels: [String]
    /// The unit of the left axis.
    let unit: String
    /// Of the left axis; nil: no money.
    var currency: String?
    /// Stacked.
    var bars: [Series] = []
    var lines: [Series] = []
    /// The churned share of the active chains, in percent, with an axis on the right.
    var rate: [Double?]?

    struct Series: Hashable, Sendable {
        let name: String
        let color: String
        /// For each interval; nil breaks a line.
        var values: [Double?]
    }

    /// Maximum number of lines in one chart; more are not distinguishable.
    static let lineCount = 8

    package init(_ report: Report) throws(ChartError) {
        switch report.subject {
        case .churn(let question, let activeStarts):
            self.init(report, question, activeStarts)
        case .metric(let name, _): try self.init(report, name)
        case .comparison, .diff: throw .undrawn(report.stamp.definition)
        }
    }

    // MARK: Churn

    private init(_ report: Report, _ question: RollForwardQuery, _ activeStarts: [Int64]) {
        title =
            question.measure == .paidChains
            ? "Churned paid subscriptions" : "Churned subscriptions"
        let filters = Dimension.allCases.compactMap { dimension in
            question.filters[dimension].map { values in
                let named = values.map { $0 ?? "nothing stated" }.sorted()
                return "\(dimension.rawValue) = \(named.joined(separator: " or "))"
            }
        }
        var lines = report.stamp.lines
        if !filters.isEmpty {
            lines.insert(
                "only where " + filters.joined(separator: ", and "), at: min(1, lines.count))
        }
        notes = lines.flatMap { ReportChart.wrapped($0) }
        labels = ReportChart.labels(report)
        unit = "chains"
        // All groups of an interval together; with groups, an empty interval has no row.
        let rows = Dictionary(grouping: report.rows, by: \.from)
        func sums(_ column: String) -> [Int64] {
            report.scope.instants.dropLast().map { start in
                (rows[start] ?? []).reduce(0) { $0 + $1[column] }
            }
        }
        bars = EndReason.allCases.compactMap { reason in
            let churned = sums(RollForwardColumn.churned(reason).name)
            guard churned.contains(where: { $0 > 0 }) else { return nil }
            return Series(
                name: reason.rawValue, color: ReportChart.color(reason),
                values: churned.map { Double($0) })
        }
        rate = zip(sums("churned.total"), activeStarts).map { churned, active in
            active > 0 ? Double(churned) / Double(active) * 100 : nil
        }
    }

    // MARK: Metrics

    private init(_ report: Report, _ name: MetricName) throws(ChartError) {
        guard let drawn = ChartedMetric(name) else { throw .undrawn(name.rawValue) }
        let isMoney = report.dimensions.first == Dimension.currency.rawValue && drawn.isMoney
        // Rows of what has no price have no currency, and nothing to draw.
        let shown = report.rows.filter { row in
            !isMoney || (row.group.first ?? nil) != nil || drawn.columns.contains { row[$0] != 0 }
        }
        let currencies = Set(shown.map { isMoney ? $0.group.first ?? nil : nil })
        guard currencies.count <= 1 else { throw .severalCurrencies }
        title = drawn.title
        notes = report.stamp.lines.flatMap { ReportChart.wrapped($0) }
        labels = ReportChart.labels(report)
        let currency = isMoney ? currencies.first ?? nil : nil
        self.currency = currency
        unit = drawn.isRate ? "%" : currency ?? drawn.unit
        let rows = Dictionary(grouping: shown, by: \.group)
        let groups = rows.keys.sorted { RollForwardQuery.precedes($0, $1) }
        let count = max(groups.count, 1) * drawn.columns.count
        guard count <= ReportChart.lineCount else { throw .tooManyLines(count) }
        for group in groups.isEmpty ? [[]] : groups {
            let byStart = Dictionary(
                (rows[group] ?? []).map { ($0.from, $0) }, uniquingKeysWith: { $1 })
            for column in drawn.columns {
                // A currency names the axis.
                let named = (isMoney ? group.dropFirst() : group[...]).map { $0 ?? "–" }
                let words = named + (drawn.columns.count > 1 || named.isEmpty ? [column] : [])
                let rate = report.rates.first { $0.name == column }
                lines.append(
                    Series(
                        name: words.joined(separator: ", "), color: ReportChart.colors[lines.count],
                        values: report.scope.instants.dropLast().map { start in
                            let row = byStart[start]
                            if drawn.isRate {
                                return row.flatMap { rate?.value($0) }.map { $0 * 100 }
                            }
                            // Coordinates need no more than a thousandth.
                            return Double(row?[column] ?? 0) / (drawn.isMoney ? 1_000 : 1)
                        }))
            }
        }
    }

    // MARK: Texts

    /// Of the intervals, in the report's zone: a day, or a day and its hour.
    private static func labels(_ report: Report) -> [String] {
        let zone = report.scope.zone
        return report.scope.instants.dropLast().map { start in
            let day = zone.day(of: start)
            return zone.start(of: day) == start ? day.text : "\(day.text) \(zone.clock(start))"
        }
    }

    /// Maximum length of a line of notes, by the width of the picture.
    private static let noteCharacterCount = 140

    private static func wrapped(_ text: String) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            let longer = (lines.last.map { $0 + " " } ?? "") + word
            if lines.isEmpty || longer.count > noteCharacterCount {
                lines.append(String(word.prefix(noteCharacterCount)))
            } else {
                lines[lines.count - 1] = longer
            }
        }
        return lines
    }

    // MARK: Colours

    /// Distinguishable in both schemes, and by most colour-blind readers.
    private static let colors = [
        "#2486c8", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#b8a800", "#8c8c8c",
    ]

    private static func color(_ reason: EndReason) -> String {
        switch reason {
        case .voluntary: "#0072b2"
        case .billing: "#e69f00"
        case .priceIncrease: "#cc79a7"
        case .productUnavailable: "#56b4e9"
        case .refund: "#d55e00"
        case .familyRevoke: "#b8a800"
        case .other: "#8c8c8c"
        case .unconfirmed: "#009e73"
        }
    }
}
