package import Reports

/// The cells of a report that changed since an earlier state of knowledge, with the events that
/// changed them.
package enum DiffPage {
    /// - Parameters:
    ///   - frame: keeps the parameters of the question.
    ///   - report: nil: no earlier knowledge is selected yet.
    package static func page(_ frame: Frame, name: String, _ report: Report?) -> Page {
        let content = report.map { found -> HTML in
            found.rows.isEmpty
                ? "<p>No figure has changed since.</p>"
                : ReportPage(frame, found, name: name).table(beside: "")
        }
        let variant = frame.asked("paid") == nil ? "" : ", paid only"
        return Page(
            "What changed in \(name)\(variant)", frame, "\(frame.knowledgeForm)\n\(content ?? ask)")
    }

    private static let ask: HTML =
        "<p class=\"muted\">Select what was known before; it is compared with what is known now.</p>"
}
