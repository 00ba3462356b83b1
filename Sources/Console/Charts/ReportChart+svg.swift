internal import AppStore

extension ReportChart {
    private static let left = 64.0
    private static let right = 896.0
    private static let firstNote = 54.0
    private static let noteHeight = 15.0
    private static let plotHeight = 346.0
    /// With more intervals than this, lines have no dots.
    private static let dotCount = 60
    /// Maximum number of dates below the plot.
    private static let labelCount = 9
    /// Characters of a date.
    private static let dateCount = 10

    /// Below the notes, whose number varies.
    private var top: Double {
        ReportChart.firstNote + ReportChart.noteHeight * Double(max(notes.count, 1)) + 30
    }
    private var bottom: Double { top + ReportChart.plotHeight }

    /// The horizontal middle of an interval.
    private func x(_ index: Int) -> Double { ReportChart.left + step * (Double(index) + 0.5) }

    private var step: Double {
        (ReportChart.right - ReportChart.left) / Double(max(labels.count, 1))
    }

    private func y(_ part: Double) -> Double { bottom - ReportChart.plotHeight * part }

    // MARK: Drawing

    /// The file's text, with its own style.
    package var svg: String { drawn().text }

    /// The same within a page, whose style sheet applies.
    ///
    /// - Parameters:
    ///   - open: intervals that are not over, or not known to be complete: hatched.
    ///   - link: the address that a bar leads to, by its interval and series.
    package func drawn(
        isInPage: Bool = false, open: Set<Int> = [],
        link: (_ place: Int, _ series: String) -> String? = { _, _ in nil }
    ) -> HTML {
        let stacks = labels.indices.map { place in bars.reduce(0) { $0 + ($1.values[place] ?? 0) } }
        let points = lines.flatMap(\.values).compactMap(\.self)
        let scale = ReportChart.scale(max((stacks + points).max() ?? 0, 1))
        let rates = rate.map { ReportChart.scale(max($0.compactMap(\.self).max() ?? 0, 1)) }
        let (legend, end) = self.legend(isHatched: !open.isEmpty)
        let height = end + 34
        let paper: HTML = "\n<rect class=\"paper\" width=\"960\" height=\"\(height)\"/>"
        let surface: HTML = isInPage ? "" : ReportChart.style + paper
        let ground = (isInPage ? [] : reported) + hatching(open)
        let parts =
            ground + axes(scale, rates) + columns(scale.top, link)
            + lines.map { drawing($0, scale.top) } + [drawnRate(rates?.top ?? 1)] + dates + legend
        return """
            <svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 960 \(height)" \
            role="\(isInPage ? "group" : "img")" aria-label="\(title)">
            \(surface)
            <text class="title" x="64" y="34">\(title)</text>
            \(parts.filter { !$0.isEmpty }.joined("\n"))
            </svg>

            """
    }

    private static let style: HTML = """
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

    private var reported: [HTML] {
        notes.enumerated().map { index, note in
            let y = ReportChart.firstNote + ReportChart.noteHeight * Double(index)
            return "<text class=\"small\" x=\"64\" y=\"\(y)\">\(note)</text>"
        }
    }

    /// Neighbouring intervals are hatched as one.
    private func hatching(_ open: Set<Int>) -> [HTML] {
        guard !open.isEmpty else { return [] }
        var parts: [HTML] = [
            """
            <defs><pattern id="open" width="9" height="9" patternUnits="userSpaceOnUse" \
            patternTransform="rotate(45)"><path class="stripe" d="M0 0V9"/></pattern></defs>
            """
        ]
        for place in labels.indices where open.contains(place) && !open.contains(place - 1) {
            var end = place + 1
            while end < labels.count, open.contains(end) { end += 1 }
            parts.append(
                """
                <rect fill="url(#open)" x="\(x(place) - step / 2)" y="\(top)" \
                width="\(step * Double(end - place))" height="\(ReportChart.plotHeight)"/>
                """)
        }
        return parts
    }

    private func axes(_ scale: Scale, _ rates: Scale?) -> [HTML] {
        func across(_ style: String, _ y: Double) -> HTML {
            "<line class=\"\(style)\" x1=\"64\" x2=\"896\" y1=\"\(y)\" y2=\"\(y)\"/>"
        }
        var parts = scale.ticks.flatMap { tick in
            let y = y(tick / scale.top)
            return [
                across("grid", y),
                ReportChart.text(ReportChart.short(tick), 58, y + 4, anchor: "end"),
            ]
        }
        parts += [across("axis", bottom), ReportChart.text(unit, 58, top - 10, anchor: "end")]
        guard let rates else { return parts }
        parts += rates.ticks.map { tick in
            ReportChart.text("\(ReportChart.number(tick)) %", 902, y(tick / rates.top) + 4)
        }
        return parts + [ReportChart.text("rate", 902, top - 10)]
    }

    private func columns(
        _ top: Double, _ link: (_ place: Int, _ series: String) -> String?
    ) -> [HTML] {
        let width = min(step * 0.7, 48)
        return labels.indices.flatMap { place in
            var below = 0.0
            return bars.compactMap { series -> HTML? in
                guard let count = series.values[place], count > 0 else { return nil }
                let (from, to) = (y(below / top), y((below + count) / top))
                below += count
                let name = "\(labels[place]) \(series.name)"
                let bar: HTML = """
                    <rect fill="\(series.color)" x="\(x(place) - width / 2)" y="\(to)" \
                    width="\(width)" height="\(from - to)">\
                    <title>\(labels[place]): \(series.name) \(count)</title></rect>
                    """
                guard let address = link(place, series.name) else { return bar }
                return "<a href=\"\(address)\" aria-label=\"\(name)\">\(bar)</a>"
            }
        }
    }

    /// The path through some values, interrupted where there is none.
    private func path(_ values: [Double?], _ top: Double) -> String {
        var path = ""
        var isDrawing = false
        for (place, value) in values.enumerated() {
            if let value {
                path += (isDrawing ? "L" : "M") + ReportChart.number(x(place))
                path += " " + ReportChart.number(y(value / top))
            }
            isDrawing = value != nil
        }
        return path
    }

    /// Circles on a path, with few intervals.
    private func dots(
        _ values: [Double?], _ top: Double, _ style: HTML,
        title: (_ place: Int, _ value: Double) -> String
    ) -> HTML {
        guard values.count <= ReportChart.dotCount else { return "" }
        return values.enumerated().map { place, value -> HTML in
            guard let value else { return "" }
            return """

                <circle \(style) cx="\(x(place))" cy="\(y(value / top))" r="3">\
                <title>\(title(place, value))</title></circle>
                """
        }.joined("")
    }

    private func drawing(_ line: Series, _ top: Double) -> HTML {
        let path = path(line.values, top)
        guard !path.isEmpty else { return "" }
        let dots = dots(line.values, top, "fill=\"\(line.color)\"") { place, value in
            "\(labels[place]): \(line.name) \(amount(value)) \(unit)"
        }
        return """
            <path fill="none" stroke="\(line.color)" stroke-width="2" d="\(path)"/>\(dots)
            """
    }

    /// With the decimal places of the currency.
    private func amount(_ value: Double) -> String {
        guard let currency else { return ReportChart.number(value) }
        let milliunits = Int64(min(max(value * 1_000, -1e18), 1e18).rounded())
        return Money(milliunits: milliunits, currency: currency).decimal
    }

    private func drawnRate(_ top: Double) -> HTML {
        guard let rate else { return "" }
        let path = path(rate, top)
        guard !path.isEmpty else { return "" }
        let dots = dots(rate, top, "class=\"dot\"") { place, value in
            "\(labels[place]): \(ReportChart.number(value)) %"
        }
        // The halo sets the line off from the coloured bars.
        return """
            <path class="halo" d="\(path)"/><path class="rate" d="\(path)"/>\(dots)
            """
    }

    /// As many of the intervals' names as fit.
    private var dates: [HTML] {
        let step = max(1, (labels.count + ReportChart.labelCount - 1) / ReportChart.labelCount)
        return stride(from: 0, to: labels.count, by: step).map { index in
            // The year and an hour do not both fit.
            let isLong = labels[index].count > ReportChart.dateCount
            let label = isLong ? String(labels[index].dropFirst(5)) : labels[index]
            return ReportChart.text(label, x(index), bottom + 20, anchor: "middle")
        }
    }

    /// Wraps into as many rows as needed; the rate and the hatching come last.
    private func legend(isHatched: Bool) -> (parts: [HTML], bottom: Double) {
        var (x, y) = (ReportChart.left, bottom + 54)
        var parts: [HTML] = []
        func add(_ name: String, _ sample: (Double, Double) -> HTML) {
            let width = 44 + 7 * Double(name.count)
            if x > ReportChart.left, x + width > ReportChart.right {
                (x, y) = (ReportChart.left, y + 22)
            }
            parts += [sample(x, y), ReportChart.text(name, x + 24, y + 10)]
            x += width
        }
        func line(_ name: String, _ style: HTML) {
            add(name) { x, y in "<path \(style) d=\"M\(x) \(y + 6)L\(x + 18) \(y + 6)\"/>" }
        }
        for bar in bars {
            add(bar.name) { x, y in
                "<rect fill=\"\(bar.color)\" x=\"\(x)\" y=\"\(y)\" width=\"12\" height=\"12\"/>"
            }
        }
        for series in lines {
            line(series.name, "fill=\"none\" stroke=\"\(series.color)\" stroke-width=\"2\"")
        }
        if rate != nil { line("churn rate", "class=\"rate\"") }
        if isHatched {
            add("not over, or not known to be complete") { x, y in
                """
                <rect fill="url(#open)" stroke="#8c8c8c" x="\(x)" y="\(y)" width="18" height="12"/>
                """
            }
        }
        return (parts, y)
    }

    private static func text(
        _ text: String, _ x: Double, _ y: Double, anchor: String = "start"
    ) -> HTML { "<text x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\">\(text)</text>" }

    // MARK: Numbers

    /// An axis from 0: its end and its labelled ticks.
    private struct Scale {
        let top: Double
        let ticks: [Double]
    }

    /// About five steps of 1, 2 or 5 times a power of ten; never less than 1, since subscriptions
    /// are whole.
    private static func scale(_ largest: Double) -> Scale {
        var unit = 1.0
        while unit * 10 < largest / 5 { unit *= 10 }
        let step = [1.0, 2, 5, 10].map { $0 * unit }.first { $0 * 5 >= largest } ?? unit * 10
        var ticks = [0.0]
        while let last = ticks.last, last < largest { ticks.append(last + step) }
        return Scale(top: ticks.last ?? step, ticks: ticks)
    }

    /// Abbreviates large numbers with k and M to fit the axis.
    private static func short(_ value: Double) -> String {
        if value >= 1_000_000 { return number(value / 1_000_000) + "M" }
        return value >= 10_000 ? number(value / 1_000) + "k" : number(value)
    }

    /// At most two decimal places.
    static func number(_ value: Double) -> String {
        // The rate of a tiny base can exceed Int64.
        let hundredths = Int64(min(max(value * 100, -1e17), 1e17).rounded())
        let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
        let sign = hundredths < 0 ? "-" : ""
        if rest == 0 { return "\(sign)\(whole)" }
        if rest % 10 == 0 { return "\(sign)\(whole).\(rest / 10)" }
        return "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}

extension HTML.Interpolation {
    /// A coordinate or a count: at most two decimal places.
    fileprivate mutating func appendInterpolation(_ value: Double) {
        appendInterpolation(ReportChart.number(value))
    }
}
