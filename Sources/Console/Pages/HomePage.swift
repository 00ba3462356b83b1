internal import AppStore
internal import LedgerStore
package import Service

/// The first page: find, health, and what waits to be done.
package enum HomePage {
    /// - Parameters:
    ///   - status: nil for a viewer who may not see it.
    ///   - webhooks: nil where they cannot be read.
    package static func page(
        _ frame: Frame, _ status: IntakeStatus?, _ webhooks: [WebhookStanding]?
    ) -> Page {
        Page(
            "Subledger", frame,
            """
            \(find(frame))
            \(status.map { IntakePage.health($0, frame) })
            \(status.map { work($0, webhooks, frame) })
            """)
    }

    private static func find(_ frame: Frame) -> HTML {
        guard frame.viewer.seesPeople else {
            let sees = frame.viewer.seesReports || frame.viewer.seesOperation
            return sees
                ? "<p class=\"muted\">What this sign-in may see is linked above.</p>"
                : """
                <p class="muted">This sign-in may see no page: its token has none of the scopes \
                <code>support</code>, <code>reports</code>, <code>read</code> and <code>admin</code>.</p>
                """
        }
        return """
            <form class="act" method="get" action="\(frame.url("find"))" role="search">
            \(Page.hidden(frame.state))
            <label for="find">Why has this customer no access? Find a customer or a purchase</label>
            <input id="find" name="q" maxlength="256" autocomplete="off" spellcheck="false" \
            placeholder="customer, transaction, notificationUUID, #position">
            <button>Find</button></form>
            """
    }

    /// Unfinished work, each with where to do it.
    private static func work(
        _ status: IntakeStatus, _ webhooks: [WebhookStanding]?, _ frame: Frame
    ) -> HTML {
        var items = frame.obstacle.map { [$0] } ?? []
        let outages = status.apps.flatMap { $0.outages?.windows ?? [] }.count
        if outages > 0 {
            let what = outages == 1 ? "1 suspected outage" : "\(outages) suspected outages"
            items.append("\(what): \(frame.link("recover", "intake"))")
        }
        for app in status.apps where app.complete == nil {
            items.append(
                "Completeness of \(app.bundleId) is not confirmed: \(frame.link("intake", "intake"))"
            )
        }
        if !status.isKnown { items.append("Quarantine: unknown, the database was not read yet") }
        let held = status.quarantine.reduce(0) { $0 + $1.itemCount }
        if held > 0 {
            let what = held == 1 ? "1 item" : "\(held) items"
            items.append("\(what) in quarantine: \(frame.link("look", "quarantine"))")
        }
        if webhooks == nil { items.append("Webhooks: unknown, they cannot be read now") }
        for standing in webhooks ?? []
        where standing.isStopped || standing.isFailing || standing.parked > 0 {
            let last = standing.isFailing ? standing.row?.lastOutcome.map { " (\($0))" } ?? "" : ""
            let counts = "\(standing.waiting) waiting, \(standing.parked) parked"
            let state = WebhooksPage.label(standing) + last
            let what = "Webhook \(standing.endpoint.name): \(state), \(counts)"
            items.append("\(what): \(frame.link("look", "webhooks"))")
        }
        guard !items.isEmpty else { return "<p>Nothing waits to be done.</p>" }
        return "<h2>To do</h2><ul>\(items.map { "<li data-row>\($0)</li>" as HTML })</ul>"
    }
}
