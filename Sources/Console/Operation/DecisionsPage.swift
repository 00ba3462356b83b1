internal import AppStore
internal import Ledger
internal import Queries
package import Service

/// Who decided what, and why; refused attempts, too.
package struct DecisionsPage {
    let frame: Frame
    let listing: DecisionPage

    package init(_ frame: Frame, _ listing: DecisionPage) {
        self.frame = frame
        self.listing = listing
    }

    package var page: Page {
        let made = listing.decisions.map { receipt -> HTML in
            let chain: HTML = receipt.chain.map { frame.chain($0) } ?? ""
            let customer: HTML = receipt.command.customer.map { frame.customer($0) } ?? ""
            return row(
                frame.event(receipt.position), frame.time(receipt.receivedAt), receipt.command.text,
                "\(customer) \(chain)")
        }
        let refused = listing.refused.map { refused -> HTML in
            let token = refused.tokenName.map { " (token \($0))" } ?? ""
            let customer: HTML = refused.customer.map { frame.customer($0) } ?? ""
            return row(
                "<span class=\"tag bad\">refused: \(refused.code)</span>", frame.time(refused.at),
                "\(refused.command.rawValue), by \(refused.actor)\(token): \(refused.reason)",
                "\(customer) \(refused.subscription ?? "")")
        }
        let rows = refused + made
        let next: HTML =
            listing.next.map { next in
                let address = frame.state.url(frame.path, [("before", String(next))])
                return """
                    <nav class="pager" aria-label="Pages"><a rel="next" href="\(address)">Older</a></nav>
                    """
            } ?? ""
        let table: HTML =
            rows.isEmpty
            ? "<p>No decision was found here.</p>"
            : """
            <div class="scroll" role="region" aria-label="Decisions">
            <table class="rows stack"><thead><tr><th scope="col">Event</th><th scope="col">When \
            (\(frame.zoneName))</th><th scope="col">What, by whom, why</th><th scope="col">About</th></tr>\
            </thead><tbody>
            \(rows)</tbody></table></div>
            """
        return Page(
            "Decisions", frame,
            """
            <h1>Decisions</h1>
            <p class="muted">Links, grants and notes stand in the log for ever; refused attempts are kept \
            by this node until it stops.</p>
            \(table)\(next)
            """)
    }

    private func row(_ event: HTML, _ at: HTML, _ what: String, _ about: HTML) -> HTML {
        """
        <tr data-row><td data-label="Event">\(event)</td><td data-label="When">\(at)</td>\
        <td data-label="What">\(what)</td><td data-label="About">\(about)</td></tr>

        """
    }
}
