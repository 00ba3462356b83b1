import AppStore
import Ledger
internal import Projection

/// A chart of churn: per interval, a bar of churned chains stacked by reason, and the rate as a
/// line. SVG without scripts; its colours follow the reader's light or dark scheme.
public struct ChurnChart: Sendable {
    let title: String
    /// Below the title: the filters, the knowledge of the answer, and its remarks.
    let notes: [String]
    let bars: [Bar]

    /// One interval: all groups of it together.
    struct Bar: Hashable, Sendable {
        /// In the report's zone: a day, or a day and its hour.
        let label: String
        var churned: [EndReason: Int64] = [:]
        var base: Int64 = 0

        var total: Int64 { churned.values.reduce(0, +) }
        /// Nil when no chain was active at the start.
        var rate: Double? { base > 0 ? Double(total) / Double(base) : nil }
    }

    public init(_ report: ChurnReport) {
        title = report.isPaid ? "Churned paid subscriptions" : "Churned subscriptions"
        notes = ChurnChart.notes(report)
        let starts = report.question.instants.dropLast()
        // With groups, an empty interval has no row, but still a place.
        var bars = zip(starts, report.activeStarts).map { start, active in
            Bar(label: ChurnChart.label(start, report.zone), base: active)
        }
        var places: [Timestamp: Int] = [:]
        for (place, start) in starts.enumerated() { places[start] = place }
        for row in report.rows {
            guard let place = places[row.from] else { continue }
            for reason in EndReason.allCases where row[.churned(reason)] > 0 {
                bars[place].churned[reason, default: 0] += row[.churned(reason)]
            }
        }
        self.bars = bars
    }

    static func label(_ moment: Timestamp, _ zone: ReportZone) -> String {
        let date = String(Timestamp(zone.day(of: moment)).rfc3339.prefix(10))
        let isMidnight = zone.start(of: zone.day(of: moment)) == moment
        return isMidnight ? date : "\(date) \(zone.clock(moment))"
    }

    private static func notes(_ report: ChurnReport) -> [String] {
        let filters = Dimension.allCases.compactMap { dimension in
            report.question.filters[dimension].map { values in
                let named = values.map { $0 ?? "nothing stated" }.sorted()
                return "\(dimension.rawValue) = \(named.joined(separator: " or "))"
            }
        }
        var lines = report.stamp.lines
        if !filters.isEmpty {
            lines.insert(
                "only where " + filters.joined(separator: ", and "), at: min(1, lines.count))
        }
        return lines.flatMap { wrapped($0) }
    }

    /// Maximum length of a line of notes, by the width of the picture.
    private static let noteCharacterCount = 140

    static func wrapped(_ text: String) -> [String] {
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

    // MARK: Layout

    static let left = 64.0
    static let right = 896.0
    private static let firstNote = 54.0
    private static let noteHeight = 15.0
    static let barHeight = 346.0
    /// Below the notes, whose number varies.
    static func top(noteCount: Int) -> Double {
        firstNote + noteHeight * Double(max(noteCount, 1)) + 30
    }
    private var top: Double { ChurnChart.top(noteCount: notes.count) }
    private var bottom: Double { top + ChurnChart.barHeight }
    private var height: Double { bottom + 110 }
    /// Maximum number of dates below the bars.
    private static let labelCount = 9

    /// Distinguishable in both schemes, and by most colour-blind readers.
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

    private var reasons: [EndReason] {
        EndReason.allCases.filter { reason in bars.contains { $0.churned[reason] ?? 0 > 0 } }
    }

    /// The middle of an interval's place.
    static func x(_ index: Int, of count: Int) -> Double {
        left + (right - left) / Double(max(count, 1)) * (Double(index) + 0.5)
    }

    private func x(_ index: Int) -> Double { ChurnChart.x(index, of: bars.count) }

    private func y(_ part: Double) -> Double {
        bottom - ChurnChart.barHeight * part
    }

    // MARK: Drawing

    /// The file's text.
    public var svg: String {
        let tallest = max(bars.map(\.total).max() ?? 0, 1)
        let counts = ChurnChart.scale(Double(tallest))
        let rates = ChurnChart.scale(max((bars.compactMap(\.rate).max() ?? 0) * 100, 1))
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 \(ChurnChart.number(height))" \
            role="img" \
            aria-label="\(ChurnChart.escaped(title))">
            \(ChurnChart.style)
            <rect class="paper" width="960" height="\(ChurnChart.number(height))"/>
            <text class="title" x="64" y="34">\(ChurnChart.escaped(title))</text>
            \(ChurnChart.reported(notes).joined(separator: "\n"))
            \(axes(counts, rates).joined(separator: "\n"))
            \(columns(counts.top).joined(separator: "\n"))
            \(line(rates.top))
            \(labels.joined(separator: "\n"))
            \(legend.joined(separator: "\n"))
            </svg>

            """
    }

    static let style = """
        <style>
        .paper { fill: #ffffff } text { fill: #1c1c1e; font: 12px sans-serif }
        .title { font-size: 18px; font-weight: 600 } .small { font-size: 11px; opacity: .75 }
        .grid { stroke: #1c1c1e; stroke-opacity: .14 } .axis { stroke: #1c1c1e; stroke-opacity: .5 }
        .rate { fill: none; stroke: #1c1c1e; stroke-width: 2 } .dot { fill: #1c1c1e }
        .halo { fill: none; stroke: #ffffff; stroke-width: 5; stroke-opacity: .7 }
        @media (prefers-color-scheme: dark) {
        .paper { fill: #1c1c1e } text { fill: #f2f2f7 } .grid { stroke: #f2f2f7 }
        .axis { stroke: #f2f2f7 } .halo { stroke: #1c1c1e } .rate { stroke: #f2f2f7 } .dot { fill: #f2f2f7 } }
        </style>
        """

    static func reported(_ notes: [String]) -> [String] {
        notes.enumerated().map { index, note in
            let y = ChurnChart.firstNote + ChurnChart.noteHeight * Double(index)
            return "<text class=\"small\" x=\"64\" y=\"\(ChurnChart.number(y))\">"
                + "\(ChurnChart.escaped(note))</text>"
        }
    }

    /// A line across and its label on the left for each tick.
    static func grid(
        _ scale: Scale, _ y: (Double) -> Double, _ label: (Double) -> String
    ) -> [String] {
        scale.ticks.flatMap { tick in
            let y = y(tick / scale.top)
            let height = number(y)
            return [
                "<line class=\"grid\" x1=\"64\" x2=\"896\" y1=\"\(height)\" y2=\"\(height)\"/>",
                text(label(tick), 58, y + 4, anchor: "end"),
            ]
        }
    }

    private func axes(_ counts: Scale, _ rates: Scale) -> [String] {
        var parts = ChurnChart.grid(counts, y, ChurnChart.number)
        for tick in rates.ticks {
            parts.append(
                ChurnChart.text("\(ChurnChart.number(tick)) %", 902, y(tick / rates.top) + 4))
        }
        let floor = ChurnChart.number(bottom)
        parts.append(
            "<line class=\"axis\" x1=\"64\" x2=\"896\" y1=\"\(floor)\" y2=\"\(floor)\"/>")
        parts.append(ChurnChart.text("chains", 58, top - 10, anchor: "end"))
        parts.append(ChurnChart.text("rate", 902, top - 10))
        return parts
    }

    private func columns(_ top: Double) -> [String] {
        let step = (ChurnChart.right - ChurnChart.left) / Double(max(bars.count, 1))
        let width = min(step * 0.7, 48)
        return bars.enumerated().flatMap { index, bar in
            var below: Int64 = 0
            return reasons.compactMap { reason -> String? in
                guard let count = bar.churned[reason], count > 0 else { return nil }
                let (from, to) = (y(Double(below) / top), y(Double(below + count) / top))
                below += count
                return "<rect fill=\"\(ChurnChart.color(reason))\""
                    + " x=\"\(ChurnChart.number(x(index) - width / 2))\""
                    + " y=\"\(ChurnChart.number(to))\" width=\"\(ChurnChart.number(width))\""
                    + " height=\"\(ChurnChart.number(from - to))\"><title>"
                    + "\(bar.label): \(reason.rawValue) \(count)</title></rect>"
            }
        }
    }

    /// Interrupted where there is no rate.
    private func line(_ top: Double) -> String {
        var path = ""
        var isDrawing = false
        var dots = ""
        for (index, bar) in bars.enumerated() {
            guard let rate = bar.rate else {
                isDrawing = false
                continue
            }
            let place =
                "\(ChurnChart.number(x(index))) \(ChurnChart.number(y(rate * 100 / top)))"
            path += (isDrawing ? "L" : "M") + place
            isDrawing = true
            let parts = place.split(separator: " ")
            if bars.count <= ChurnChart.dotCount {
                dots += "\n<circle class=\"dot\" cx=\"\(parts[0])\" cy=\"\(parts[1])\" r=\"3\"/>"
            }
        }
        guard !path.isEmpty else { return "" }
        // The halo sets the line off from the coloured bars.
        return "<path class=\"halo\" d=\"\(path)\"/><path class=\"rate\" d=\"\(path)\"/>\(dots)"
    }

    /// With more intervals than this, the line has no dots.
    static let dotCount = 60

    private var labels: [String] { ChurnChart.dates(bars.map(\.label), below: bottom) }

    /// As many of the intervals' names as fit.
    static func dates(_ labels: [String], below bottom: Double) -> [String] {
        let step = max(1, (labels.count + labelCount - 1) / labelCount)
        return stride(from: 0, to: labels.count, by: step).map { index in
            ChurnChart.text(
                shortLabel(labels[index]), x(index, of: labels.count), bottom + 20,
                anchor: "middle")
        }
    }

    /// Drops the year where there is an hour, since both do not fit.
    private static func shortLabel(_ label: String) -> String {
        label.count > ChurnChart.dateCount ? String(label.dropFirst(5)) : label
    }

    /// Characters of a date.
    private static let dateCount = 10

    /// Wraps into as many lines as needed; the rate comes last.
    private var legend: [String] {
        var (x, y) = (ChurnChart.left, bottom + 54)
        var parts: [String] = []
        for reason in reasons {
            let width = 44 + 7 * Double(reason.rawValue.count)
            if x + width > ChurnChart.right { (x, y) = (ChurnChart.left, y + 22) }
            parts.append(
                "<rect fill=\"\(ChurnChart.color(reason))\" x=\"\(ChurnChart.number(x))\""
                    + " y=\"\(ChurnChart.number(y))\" width=\"12\" height=\"12\"/>")
            parts.append(ChurnChart.text(reason.rawValue, x + 18, y + 10))
            x += width
        }
        if x + 100 > ChurnChart.right { (x, y) = (ChurnChart.left, y + 22) }
        let height = ChurnChart.number(y + 6)
        parts.append(
            "<path class=\"rate\" d=\"M\(ChurnChart.number(x)) \(height)"
                + "L\(ChurnChart.number(x + 18)) \(height)\"/>")
        parts.append(ChurnChart.text("churn rate", x + 24, y + 10))
        return parts
    }

    static func text(
        _ text: String, _ x: Double, _ y: Double, anchor: String = "start"
    ) -> String {
        "<text x=\"\(ChurnChart.number(x))\" y=\"\(ChurnChart.number(y))\""
            + " text-anchor=\"\(anchor)\">\(ChurnChart.escaped(text))</text>"
    }
}
