internal import AppStore
internal import Ledger
package import LedgerStore

/// The log, newest first, with filters.
package struct EventsPage {
    let frame: Frame
    let events: [RecordedEvent]
    /// The position to continue before; nil at the beginning of the log.
    let next: Int64?
    /// The filters, as parameters of an address.
    let filters: [(String, String?)]
    /// Whether new events are added while the page is shown.
    let isLive: Bool

    package init(
        _ frame: Frame, _ events: [RecordedEvent], next: Int64?, filters: [(String, String?)],
        isLive: Bool
    ) {
        self.frame = frame
        self.events = events
        self.next = next
        self.filters = filters
        self.isLive = isLive && filters.allSatisfy { $0.1 == nil }
    }

    /// What happened, in Apple's words where there are any.
    static func name(_ event: RecordedEvent) -> String {
        let parts = [event.attributes.notificationType, event.attributes.subtype].compactMap { $0 }
        return parts.isEmpty ? event.attributes.kind.rawValue : parts.joined(separator: "/")
    }

    package var page: Page {
        let live: HTML = isLive ? " data-live=\"\(frame.url("events", "live"))\"" : ""
        let stop = frame.url("events", query: [("live", "false")])
        let state: HTML =
            isLive
            ? """
            <p class="muted"><span data-live-state></span> <a href="\(stop)">Stop following</a></p>
            """ : ""
        return Page(
            "Events", frame,
            """
            <h1>Events</h1>
            \(form)
            \(state)
            <div class="scroll" role="region" aria-label="Events">
            <table class="rows stack"><thead><tr><th scope="col">Position</th><th scope="col">Received \
            (\(frame.zoneName))</th><th scope="col">What</th><th scope="col">Source</th>\
            <th scope="col">Subscription</th></tr></thead><tbody\(live)>
            \(events.map { EventsPage.row($0, frame) })</tbody></table></div>
            \(pager)
            """)
    }

    /// One row, also for the live list.
    package static func row(_ event: RecordedEvent, _ frame: Frame) -> HTML {
        let chain: HTML = event.attributes.chain.map { frame.chain($0) } ?? "–"
        return """
            <tr data-row><td data-label="Position">\(frame.event(event.position))</td>\
            <td data-label="Received">\(frame.time(event.receivedAt))</td>\
            <td data-label="What">\(name(event))</td>\
            <td data-label="Source">\(event.attributes.source.rawValue)</td>\
            <td data-label="Subscription">\(chain)</td></tr>

            """
    }

    private var form: HTML {
        func input(_ name: String, _ label: String, _ hint: String) -> HTML {
            let value = filters.first { $0.0 == name }.flatMap(\.1) ?? ""
            return """
                <label for="\(name)">\(label)</label><input id="\(name)" name="\(name)" value="\(value)" \
                maxlength="200" placeholder="\(hint)" spellcheck="false">
                """
        }
        return """
            <form class="filter" method="get" action="\(ViewState.address(frame))">
            \(Page.hidden(frame.state))
            \(input("types", "Types", "DID_RENEW,REFUND"))
            \(input("receivedFrom", "Received from", "2026-01-31"))
            \(input("receivedTo", "to", "2026-02-01"))
            <button>Show</button></form>
            """
    }

    private var pager: HTML {
        guard let next else { return "" }
        let address = frame.state.url(frame.path, [("before", String(next))] + filters)
        return """
            <nav class="pager" aria-label="Pages"><a rel="next" href="\(address)">Older</a></nav>
            """
    }
}
