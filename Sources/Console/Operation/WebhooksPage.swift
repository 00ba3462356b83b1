internal import AppStore
internal import LedgerStore
package import Service

/// The webhook endpoints of an environment and their delivery.
package enum WebhooksPage {
    package static func page(_ frame: Frame, _ standings: [WebhookStanding]) -> Page {
        let cards = standings.map { standing -> HTML in
            let isWell = standing.state == "live" && standing.parked == 0
            let address = frame.url("webhooks", standing.endpoint.name, "redeliver")
            let act: HTML =
                frame.viewer.operates
                ? "<p class=\"acts\"><a href=\"\(address)\">Redeliver a range</a></p>" : ""
            let remedy: HTML =
                standing.isStopped
                ? """
                <p class="muted">The receiver answered 410. Delivery goes on once \
                <code>subledger webhooks test \(standing.endpoint.name)</code> succeeds.</p>
                """ : ""
            return """
                <section class="card" data-row><h2>\(standing.endpoint.name) \
                <span class="tag \(isWell ? "good" : "warn")">\(standing.state)</span></h2>
                <dl class="fields"><dt>Host</dt><dd>\(standing.origin)</dd>\
                <dt>Waiting</dt><dd>\(standing.waiting)</dd><dt>Parked</dt><dd>\(standing.parked)</dd>\
                <dt>Log ends at</dt><dd>\(standing.head)</dd></dl>\(remedy)\(act)</section>
                """
        }
        let content: HTML =
            cards.isEmpty
            ? "<p>No webhook is configured for this environment.</p>" : "\(cards)"
        return Page("Webhooks", frame, "<h1>Webhooks</h1>\(content)")
    }
}
