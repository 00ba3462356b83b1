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
        guard !report.rows.isEmpty else { return "<p>No figure has changed since.</p>" }
        return ReportPage(
            frame, report, name: name, question: [("metric", name)] + question, first: first
        ).table(beside: "")
    }
}
