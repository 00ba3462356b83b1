import AppStore
import Ledger

/// A chart of a metric: a line per column and group over the intervals or cohorts. SVG without
/// scripts; its colours follow the reader's light or dark scheme.
public struct MetricChart: Sendable {
    let title: String
    /// Below the title: the knowledge of the answer, and its remarks.
    let notes: [String]
    /// One for each interval.
    let labels: [String]
    /// The unit of the axis.
    let unit: String
    let lines: [Line]

    struct Line: Hashable, Sendable {
        let name: String
        /// For each interval; nil breaks the line.
        let values: [Double?]
    }

    /// Maximum number of lines in one chart; more are not distinguishable.
    public static let lineCount = 8

    /// - Throws: `ChartError` for reports that have no clear chart.
    public init(_ report: MetricReport, _ name: MetricName) throws(ChartError) {
        guard let drawn = DrawnMetric(name) else { throw .undrawn(name) }
        let isMoney = report.dimensions.first == Dimension.currency.rawValue && drawn.isMoney
        let currencies = Set(report.rows.map { isMoney ? $0.group.first ?? nil : nil })
        guard currencies.count <= 1 else { throw .severalCurrencies }
        title = drawn.title
        notes = report.stamp.lines.flatMap { ChurnChart.wrapped($0) }
        let starts = Array(report.instants.dropLast())
        labels = starts.map { ChurnChart.label($0, report.zone) }
        unit = drawn.isRate ? "%" : (isMoney ? currencies.first ?? nil : nil) ?? drawn.unit
        var groups: [[String?]] = []
        for row in report.rows where !groups.contains(row.group) { groups.append(row.group) }
        if groups.isEmpty { groups = [[]] }
        let count = groups.count * drawn.columns.count
        guard count <= MetricChart.lineCount else { throw .tooManyLines(count) }
        let values = MetricChart.values(report, drawn)
        lines = groups.flatMap { group in
            drawn.columns.map { column in
                // A currency names the axis.
                let named = (isMoney ? group.dropFirst() : group[...]).map { $0 ?? "–" }
                let words = named + (drawn.columns.count > 1 || named.isEmpty ? [column] : [])
                return Line(
                    name: words.joined(separator: ", "),
                    values: starts.map { start in
                        values[Place(from: start, group: group)]?[column]
                            ?? (drawn.isRate ? nil : 0)
                    })
            }
        }
    }

    private struct Place: Hashable {
        let from: Timestamp
        let group: [String?]
    }

    private static func values(
        _ report: MetricReport, _ drawn: DrawnMetric
    ) -> [Place: [String: Double]] {
        var values: [Place: [String: Double]] = [:]
        for row in report.rows {
            for column in drawn.columns {
                let place = Place(from: row.from, group: row.group)
                if drawn.isRate {
                    let rate = report.rates.first { $0.name == column }
                    values[place, default: [:]][column] = rate?.value(row).map { $0 * 100 }
                } else {
                    // Coordinates need no more than a thousandth.
                    values[place, default: [:]][column] =
                        Double(row.amounts[column] ?? 0) / (drawn.isMoney ? 1_000 : 1)
                }
            }
        }
        return values
    }

    // MARK: Drawing

    private var top: Double { ChurnChart.top(noteCount: notes.count) }
    private var bottom: Double { top + ChurnChart.barHeight }

    /// The file's text.
    public var svg: String {
        let scale = ChurnChart.scale(max(lines.flatMap(\.values).compactMap(\.self).max() ?? 0, 1))
        let legend = legend
        let height = ChurnChart.number(bottom + 66 + legend.height)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 \(height)" role="img" \
            aria-label="\(ChurnChart.escaped(title))">
            \(ChurnChart.style)
            <rect class="paper" width="960" height="\(height)"/>
            <text class="title" x="64" y="34">\(ChurnChart.escaped(title))</text>
            \(ChurnChart.reported(notes).joined(separator: "\n"))
            \(axes(scale).joined(separator: "\n"))
            \(lines.indices.map { drawing($0, scale.top) }.joined(separator: "\n"))
            \(ChurnChart.dates(labels, below: bottom).joined(separator: "\n"))
            \(legend.parts.joined(separator: "\n"))
            </svg>

            """
    }

    private func y(_ part: Double) -> Double { bottom - ChurnChart.barHeight * part }

    private func axes(_ scale: ChurnChart.Scale) -> [String] {
        var parts = ChurnChart.grid(scale, y, MetricChart.short)
        let floor = ChurnChart.number(bottom)
        parts.append(
            "<line class=\"axis\" x1=\"64\" x2=\"896\" y1=\"\(floor)\" y2=\"\(floor)\"/>")
        parts.append(ChurnChart.text(unit, 58, top - 10, anchor: "end"))
        return parts
    }

    /// Abbreviates large numbers with k and M to fit the axis.
    static func short(_ value: Double) -> String {
        if value >= 1_000_000 { return ChurnChart.number(value / 1_000_000) + "M" }
        return value >= 10_000
            ? ChurnChart.number(value / 1_000) + "k" : ChurnChart.number(value)
    }

    private func drawing(_ index: Int, _ top: Double) -> String {
        var (path, dots) = ("", "")
        var isDrawing = false
        let color = MetricChart.colors[index % MetricChart.colors.count]
        for (place, value) in lines[index].values.enumerated() {
            guard let value else {
                isDrawing = false
                continue
            }
            let x = ChurnChart.number(ChurnChart.x(place, of: labels.count))
            let y = ChurnChart.number(y(value / top))
            path += (isDrawing ? "L" : "M") + "\(x) \(y)"
            isDrawing = true
            guard labels.count <= ChurnChart.dotCount else { continue }
            let reported =
                "\(labels[place]): \(lines[index].name) \(ChurnChart.number(value)) \(unit)"
            dots +=
                "\n<circle fill=\"\(color)\" cx=\"\(x)\" cy=\"\(y)\" r=\"3\">"
                + "<title>\(ChurnChart.escaped(reported))</title></circle>"
        }
        guard !path.isEmpty else { return "" }
        return "<path fill=\"none\" stroke=\"\(color)\" stroke-width=\"2\" d=\"\(path)\"/>\(dots)"
    }

    private var legend: (parts: [String], height: Double) {
        var (x, y) = (ChurnChart.left, bottom + 54)
        var parts: [String] = []
        for (index, line) in lines.enumerated() {
            let width = 44 + 7 * Double(line.name.count)
            if x > ChurnChart.left, x + width > ChurnChart.right {
                (x, y) = (ChurnChart.left, y + 22)
            }
            let height = ChurnChart.number(y + 6)
            parts.append(
                "<path fill=\"none\" stroke=\"\(MetricChart.colors[index % MetricChart.colors.count])\""
                    + " stroke-width=\"2\" d=\"M\(ChurnChart.number(x)) \(height)"
                    + "L\(ChurnChart.number(x + 18)) \(height)\"/>")
            parts.append(ChurnChart.text(line.name, x + 24, y + 10))
            x += width
        }
        return (parts, y - bottom - 32)
    }

    /// Distinguishable in both schemes, and by most colour-blind readers.
    private static let colors = [
        "#2486c8", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#b8a800", "#8c8c8c",
    ]
}

/// The drawn part of a metric.
struct DrawnMetric {
    let title: String
    let columns: [String]
    var isMoney = false
    var isRate = false
    var unit = "chains"

    /// Nil for metrics that lines over time do not represent.
    init?(_ name: MetricName) {
        switch name {
        case .counted(let metric): self.init(metric)
        case .mrr: self.init("Monthly recurring revenue", ["mrr"], isMoney: true)
        case .arr: self.init("Annual recurring revenue", ["arr"], isMoney: true)
        case .mrrMovement:
            self.init(
                "What moved monthly recurring revenue",
                [
                    "new", "reactivated", "recovered", "converted", "expansion", "contraction",
                    "churned.total",
                ], isMoney: true)
        case .lateness, .ltv: return nil
        }
    }

    private init?(_ metric: CountedMetric) {
        switch metric {
        case .active:
            self.init("Active subscriptions", ["active", "activePaid", "setToCancel"])
        case .starts: self.init("Starts", ["starts", "trialStarts", "paidStarts"])
        case .renewals: self.init("Renewals", ["renewals", "recovered"], unit: "periods")
        case .reactivations: self.init("Won back", ["reactivated"])
        case .autoRenew: self.init("Auto-renew turned off and on", ["off", "on"], unit: "times")
        case .productChanges:
            self.init(
                "Changes of product", ["upgraded", "downgraded", "crossgraded"], unit: "times")
        case .trials:
            self.init("Trials that were paid after all", ["conversion"], isRate: true)
        case .recoveries:
            self.init(
                "Failed renewals that were paid after all",
                ["grace.recovered", "billingRetry.recovered"], isRate: true)
        case .retention:
            self.init(
                "Retention of cohorts, by the paid period reached",
                [2, 3, 6, 12].map { "step.\($0)" }, isRate: true)
        case .revenue: self.init("Revenue", ["gross", "refunded"], isMoney: true)
        case .refunds: self.init("Refunds", ["refunded", "reversed"], isMoney: true)
        case .proceeds: self.init("Proceeds, estimated", ["gross", "proceeds"], isMoney: true)
        case .refundsByPurchase:
            self.init("Refunded of what was bought", ["refundRate"], isRate: true)
        }
    }

    private init(
        _ title: String, _ columns: [String], isMoney: Bool = false, isRate: Bool = false,
        unit: String = "chains"
    ) {
        self.title = title
        self.columns = columns
        self.isMoney = isMoney
        self.isRate = isRate
        self.unit = unit
    }

    /// Names of the drawable metrics, in the order of `MetricName`.
    static var names: [String] {
        MetricName.allCases.filter { DrawnMetric($0) != nil }.map(\.rawValue)
    }
}

/// Why a report has no chart.
public enum ChartError: Error, Sendable, Hashable {
    /// The metric is not a series over time.
    case undrawn(MetricName)
    /// They share no axis.
    case severalCurrencies
    /// More than `MetricChart.lineCount`.
    case tooManyLines(Int)

    /// Stable; scripts rely on it.
    public var code: String {
        switch self {
        case .undrawn: "undrawnMetric"
        case .severalCurrencies: "severalCurrencies"
        case .tooManyLines: "tooManyLines"
        }
    }

    public var message: String {
        switch self {
        case .undrawn(let name):
            "--chart cannot draw \(name.rawValue); it draws churn and "
                + DrawnMetric.names.joined(separator: ", ") + "."
        case .severalCurrencies:
            "Amounts in several currencies share no axis; name one with --where currency=USD, or"
                + " convert them with --rates."
        case .tooManyLines(let count):
            "A chart holds at most \(MetricChart.lineCount) lines, not \(count). Use fewer"
                + " dimensions, or select values with --where."
        }
    }
}
