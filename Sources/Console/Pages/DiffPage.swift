internal import AppStore
internal import Ledger
internal import Projection
package import Reports

/// The cells of a report that changed since an earlier state of knowledge, with the events that
/// changed them.
package struct DiffPage {
    let frame: Frame
    let name: String
    let question: [(String, String?)]
    /// The row that the table begins with.
    let first: Int

    package init(
        _ frame: Frame, name: String, question: [(String, String?)], first: Int = 0
    ) {
        self.frame = frame
        self.name = name
        self.question = question
        self.first = first
    }

    /// - Parameter report: nil: no earlier knowledge is selected yet.
    package func page(_ report: Report?) -> Page {
        Page(
            "What changed in \(name)", frame,
            """
            <h1>What changed in \(name)</h1>
            \(KnowledgeForm(frame: frame, kept: [("metric", name)] + question).html)
            \(report.map { content($0) } ?? Self.ask)
            """)
    }

    private static let ask: HTML =
        "<p class=\"muted\">Select what was known before; it is compared with what is known now.</p>"

    private func content(_ report: Report) -> HTML {
        guard first < report.rows.count else {
            return first > 0 ? "<p>No more rows.</p>" : "<p>No figure has changed since.</p>"
        }
        let columns = report.columns.filter { column in
            report.rows.contains { $0[column.name] != 0 }
        }
        let heads = (["from"] + report.dimensions).map { "<th scope=\"col\">\($0)</th>" as HTML }
        let figures = columns.map { "<th scope=\"col\" class=\"num\">\($0.name)</th>" as HTML }
        let (rows, end) = HTML.parts(
            report.rows.count, from: first, within: ReportPage.contentByteCount
        ) { row(report.rows[$0], of: report, columns) }
        let next = end < report.rows.count ? String(end) : nil
        // Without links inside, the keyboard needs the region itself to scroll it.
        let focus: HTML = frame.viewer.seesPeople ? "" : " tabindex=\"0\""
        return """
            <div class="scroll"\(focus) role="region" aria-label="Changed figures">
            <table class="rows"><thead><tr>\(heads)\(figures)<th scope="col">Events</th></tr></thead>
            <tbody>
            \(rows)</tbody></table></div>
            \(frame.pager("More rows", "row", next, [("metric", name)] + question))
            """
    }

    private func row(_ row: Report.Row, of report: Report, _ columns: [CountColumn]) -> HTML {
        let groups = row.group.map { "<td>\($0 ?? "–")</td>" as HTML }
        let cells = columns.map { column -> HTML in
            "<td class=\"num\">\(report.figure(row, column))</td>"
        }
        return """
            <tr data-row><th scope="row">\(report.scope.zone.label(row.from))</th>\(groups)\(cells)\
            <td>\(frame.events(row.events))</td></tr>

            """
    }
}
