internal import AppStore
internal import LedgerStore
package import Service

/// The webhook endpoints of an environment and their delivery.
package enum WebhooksPage {
    /// - Parameter redelivered: the result of the redelivery that the page answers.
    package static func page(
        _ frame: Frame, _ standings: [WebhookStanding],
        redelivered: WebhookSender.Redelivered? = nil
    ) -> Page {
        let cards = standings.map { card($0, frame) }
        let content: HTML =
            cards.isEmpty
            ? "<p>No webhook is configured for this environment.</p>" : "\(cards)"
        return Page("Webhooks", frame, "\(redelivered.map { result($0) })\(content)")
    }

    private static func card(_ standing: WebhookStanding, _ frame: Frame) -> HTML {
        let isWell = standing.state == "live" && standing.parked == 0 && !standing.isFailing
        let act = frame.act(
            "Redeliver a range", "webhooks", standing.endpoint.name, "redeliver")
        let remedy: HTML =
            standing.isStopped
            ? """
            <p class="muted">The receiver answered 410. Delivery goes on once \
            <code>subledger webhooks test \(standing.endpoint.name)</code> succeeds.</p>
            """ : ""
        let fields = HTML.fields([
            ("Host", "\(standing.origin)"), ("Cursor", "\(standing.cursorText)"),
            ("Last attempt", attempt(standing, frame)),
            ("Last success", standing.row?.lastSuccessAt.map { frame.time($0) } ?? "never"),
            ("Waiting", "\(standing.waiting)"), ("Parked", "\(standing.parked)"),
        ])
        return """
            <section class="card" data-row><h2>\(standing.endpoint.name) \
            <span class="tag \(isWell ? "good" : "warn")">\(label(standing))</span></h2>
            \(fields)\(remedy)\(act)</section>
            """
    }

    /// The state; of a live endpoint, also that its last attempt was not accepted.
    static func label(_ standing: WebhookStanding) -> String {
        standing.isFailing && !standing.isStopped ? "\(standing.state), failing" : standing.state
    }

    private static func attempt(_ standing: WebhookStanding, _ frame: Frame) -> HTML {
        guard let at = standing.row?.lastAttemptAt else { return "none yet" }
        return "\(standing.row?.lastOutcome ?? "unknown") at \(frame.time(at))"
    }

    private static func result(_ report: WebhookSender.Redelivered) -> HTML {
        let reason: HTML = report.lastFailure.map { " (last: \($0))" } ?? ""
        let changes = report.changes == 1 ? "1 change" : "\(report.changes) changes"
        return """
            <p class="banner \(report.failed == 0 ? "info" : "warn")" role="status">The redelivery has \
            ended: \(changes), \(report.delivered) delivered, \(report.failed) failed\(reason). The \
            states below are of ordinary delivery, not of this redelivery.</p>
            """
    }
}
