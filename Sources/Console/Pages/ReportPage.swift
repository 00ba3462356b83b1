internal import AppStore
internal import Ledger
package import Reports

/// A report: chart, table with a link from every cell to the chains behind it, and remarks.
package struct ReportPage {
    let frame: Frame
    let report: Report
    /// The metric's name in addresses.
    let name: String

    /// What a report can be taken as instead of its page. Raw values are part of addresses.
    package enum File: String, Sendable, CaseIterable {
        case csv
    }

    /// Bounds of intervals up to which a chart has a link for each bar.
    static let linkedCount = 40
    /// Bytes of the chart and the rows on one page: with the rest it stays below 60 KiB. Links are
    /// longer in views of another time, zone or app.
    static let contentByteCount = 40 * 1_024
    /// Bytes of them left for the rows, however long the chart is.
    static let rowsByteCount = 8 * 1_024

    /// - Parameter frame: keeps the parameters of the question.
    package init(_ frame: Frame, _ report: Report, name: String) {
        var frame = frame
        frame.complete = report.stamp.complete
        frame.position = report.stamp.position
        frame.saysComplete = true
        // Of several apps the remark alone says so.
        frame.isUnchecked =
            frame.complete == nil && frame.state.bundleId != nil
            && report.stamp.remarks.contains(.notConfigured)
        self.frame = frame
        self.report = report
        self.name = name
    }

    package var page: Page {
        let title = name.prefix(1).uppercased() + name.dropFirst()
        let chart = chart
        return Page(
            title, frame,
            """
            \(ReportForm(frame: frame, name: name).html)
            \(frame.knowledgeForm)
            \(stamp)
            \(chart)
            \(table(beside: chart))
            \(remarks)
            """)
    }

    private var stamp: HTML {
        let stamp = report.stamp
        let file = frame.state.url(frame.path, frame.kept + [("format", File.csv.rawValue)])
        let diff: HTML
        switch (frame.state.knowledge, report.subject) {
        case (.everything, _), (_, .comparison): diff = ""
        case (.knownAt, _), (.knownPosition, _):
            let address = frame.state.url(["reports", "diff"], [("metric", name)] + frame.kept)
            diff = " · <a href=\"\(address)\">what changed since</a>"
        }
        return """
            <p class="muted">\(stamp.definition) · by \(stamp.interval.rawValue) in \(stamp.timeZone) · \
            computed at position \(stamp.position)\(diff) · <a href="\(file)">CSV</a></p>
            \(converted)
            """
    }

    /// The rates, and the same report without them.
    private var converted: HTML {
        guard let rates = report.stamp.rates else { return "" }
        let none = ("rates", Optional(RateChoice.separateName))
        let address = frame.state.url(frame.path, frame.kept.filter { $0.0 != "rates" } + [none])
        return """
            <p class="muted">\(rates.line) · \
            <a href="\(address)">in their own currencies</a></p>
            """
    }

    // MARK: Chart

    private var chart: HTML {
        do throws(ChartError) {
            let chart = try ReportChart(report)
            let starts = report.scope.instants
            let open = starts.indices.dropLast().filter { isOpen(starts[$0], starts[$0 + 1]) }
            let drawn = chart.drawn(isInPage: true, open: Set(open)) { place, series in
                guard report.isChurn, frame.viewer.seesPeople, place + 1 < starts.count,
                    starts.count <= Self.linkedCount
                else {
                    return nil
                }
                // A bar is the sum of all groups; a filter by reason also groups by it.
                let reason = Dimension.reason.rawValue
                let group = report.dimensions.contains(reason) ? ["\(reason)=\(series)"] : []
                return cell(starts[place], starts[place + 1], "churned.\(series)", group)
            }
            guard drawn.text.utf8.count <= Self.contentByteCount - Self.rowsByteCount else {
                return """
                    <p class="muted">No chart: its \(starts.count - 1) intervals do not fit on a page; choose \
                    longer ones, or draw a file: <code>--chart</code> of the command.</p>
                    """
            }
            return """
                <div class="scroll" tabindex="0" role="region" aria-label="Chart">\(drawn)</div>
                """
        } catch {
            return "<p class=\"muted\">No chart: \(ReportPage.reason(error))</p>"
        }
    }

    /// The error in the words of the page's form.
    static func reason(_ error: ChartError) -> String {
        switch error {
        case .undrawn: "these figures are no series over time."
        case .severalCurrencies:
            "amounts in several currencies share no axis; select one by “Only where”, such as"
                + " currency=USD."
        case .tooManyLines(let count):
            "it would have \(count) lines, of which at most \(ReportChart.lineCount) can be told"
                + " apart; break down by less, or select values by “Only where”."
        }
    }

    /// The address of the chains behind a cell, short since a page has many: relative to the page,
    /// which is in the folder of reports.
    ///
    /// - Parameter group: `dimension=value` of each dimension.
    private func cell(
        _ from: Timestamp, _ to: Timestamp, _ column: String, _ group: [String]
    ) -> String {
        // The chains are converted if the report is; recurring money with rates by day, though, at
        // those of the cell's own last day.
        let isApart = report.stamp.rates == nil && report.isMoney && !group.isEmpty
        let rates = ("rates", isApart ? RateChoice.separateName : nil)
        let kept = frame.kept.filter { ["where", "timeZone", "paid"].contains($0.0) } + [rates]
        let folder = ViewState(environment: frame.state.environment).url(["reports", ""])
        let address = frame.state.url(
            ["reports", name, "cell"],
            [
                ("from", label(from)), ("to", label(to)), ("column", column),
                ("group", group.isEmpty ? nil : group.joined(separator: ",")),
            ] + kept)
        return String(address.dropFirst(folder.count))
    }

    private func label(_ moment: Timestamp) -> String { report.scope.zone.label(moment) }

    // MARK: Table

    /// Those with a figure other than 0. What is compared stays, also where one side is 0.
    private var shownColumns: [CountColumn] {
        switch report.subject {
        case .comparison, .diff: report.columns
        case .churn, .metric:
            report.columns.filter { column in
                ["activeStart", "churned.total", "activeEnd"].contains(column.name)
                    || report.rows.contains { $0[column.name] != 0 }
            }
        }
    }

    /// The figures, and for a difference the events that changed them.
    func table(beside chart: HTML) -> HTML {
        // Without a row in the address it ends with the last one, which is the newest.
        let first = frame.firstRow
        guard first ?? 0 < report.rows.count else { return "<p class=\"muted\">No rows.</p>" }
        let columns = shownColumns
        let linked = frame.viewer.seesPeople ? report.columnsOfChains : []
        let limit = max(Self.rowsByteCount, Self.contentByteCount - chart.text.utf8.count)
        let (rows, start, end) = HTML.parts(report.rows.count, from: first, within: limit) {
            row(report.rows[$0], columns, linked)
        }
        let names = ["from"] + report.dimensions
        // Without links inside, the keyboard needs the region itself to scroll it.
        let hasLinks = !linked.isEmpty || frame.viewer.seesPeople && report.isDiff
        let focus: HTML = hasLinks ? "" : " tabindex=\"0\""
        let heads = names.map { "<th scope=\"col\">\($0)</th>" as HTML }
        let figures = columns.map { column -> HTML in
            let unit = column.unit == .milliseconds ? " (ms)" : ""
            return "<th scope=\"col\" class=\"num\">\(Report.heading(column.name))\(unit)</th>"
        }
        let rates = report.rates.map { rate -> HTML in
            "<th scope=\"col\" class=\"num\">\(report.isChurn ? "rate" : Report.heading(rate.name))</th>"
        }
        let events: HTML = report.isDiff ? "<th scope=\"col\">Events</th>" : ""
        return """
            <div class="scroll"\(focus) role="region" aria-label="Figures"><table class="rows">
            <thead><tr>\(heads)\(figures)\(rates)\(events)</tr></thead><tbody>
            \(rows)</tbody></table></div>
            \(pager(start, end))
            """
    }

    /// Links to the first rows and to those after the page.
    private func pager(_ start: Int, _ end: Int) -> HTML {
        guard start > 0 || end < report.rows.count else { return "" }
        func link(_ text: String, _ first: Int) -> HTML {
            let row = ("row", Optional(String(first)))
            return "<a href=\"\(frame.state.url(frame.path, frame.kept + [row]))\">\(text)</a>"
        }
        let before = start > 0 ? link("First rows", 0) : ""
        let omitted: HTML =
            frame.firstRow == nil ? "; rows 1 to \(start) do not fit on this page" : ""
        let rest = end < report.rows.count ? link("More rows", end) : ""
        return """
            <nav class="pager" aria-label="Rows">\(before) rows \(start + 1) to \(end) of \
            \(report.rows.count)\(omitted) \(rest)</nav>
            """
    }

    private func isUnfinished(_ end: Timestamp) -> Bool {
        let isCut = end == report.scope.instants.last && frame.asked("to") == nil
        return isCut || end > frame.limit
    }

    /// What is not over, or not known to be complete, is hatched and said to be open.
    private func isOpen(_ start: Timestamp, _ end: Timestamp) -> Bool {
        let isConfirmed = frame.complete.map { $0.from <= start && end <= $0.through } ?? false
        return isUnfinished(end) || !isConfirmed
    }

    /// - Parameter linked: the columns whose figures lead to their chains.
    private func row(
        _ row: Report.Row, _ columns: [CountColumn], _ linked: Set<String>
    ) -> HTML {
        let isOpen = isOpen(row.from, row.to)
        let style: HTML = isOpen ? " class=\"open\"" : ""
        let tag = isUnfinished(row.to) ? "unfinished" : "may be incomplete"
        let mark: HTML = isOpen ? " <span class=\"tag\">\(tag)</span>" : ""
        let groups = row.group.map { "<td>\($0 ?? "–")</td>" as HTML }
        let cells = columns.map { column -> HTML in
            let value = row[column.name]
            let text = report.figure(row, column)
            guard value != 0, let address = address(row, column, linked) else {
                return "<td class=\"num\">\(text)</td>"
            }
            return "<td class=\"num\"><a href=\"\(address)\">\(text)</a></td>"
        }
        let rates = report.rates.map {
            "<td class=\"num\">\(Report.percent($0.value(row)))</td>" as HTML
        }
        let events: HTML =
            report.isDiff
            ? "<td>\(frame.events(row.events, omitted: row.eventsOmitted))</td>" : ""
        return """
            <tr data-row\(style)><th scope="row">\(label(row.from))\(mark)</th>\
            \(groups)\(cells)\(rates)\(events)</tr>

            """
    }

    /// Where a figure leads: of a comparison, our own to its chains.
    private func address(
        _ row: Report.Row, _ column: CountColumn, _ linked: Set<String>
    ) -> String? {
        if linked.contains(column.name) {
            let group = zip(report.dimensions, row.group).map { "\($0)=\($1 ?? "")" }
            return cell(row.from, row.to, column.name, group)
        }
        guard frame.viewer.seesPeople, let own = report.ownCell(row, column, of: name) else {
            return nil
        }
        return cell(row.from, row.to, own.column, own.group)
    }

    private var remarks: HTML {
        let texts = report.stamp.remarks.map(\.message) + report.explanations
        let lines = texts.filter { !$0.isEmpty }.map { "<li>\($0)</li>" as HTML }
        return lines.isEmpty ? "" : "<h2>Remarks</h2><ul>\(lines)</ul>"
    }
}

extension Report {
    /// Whether its rows are of one currency each.
    var isMoney: Bool { dimensions.first == Dimension.currency.rawValue }
}
