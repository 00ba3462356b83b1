internal import Ledger
internal import LedgerStore
package import Queries

/// Outcomes of subscriptions after retention messages, by rule, message and offer; as of now only,
/// since the answers are operational state without earlier knowledge.
package struct RetentionOffersPage {
    let frame: Frame
    let offers: RetentionOffers

    /// The name of the report in addresses and in the list of reports.
    package static let name = "retention-offers"
    static let title = "Retention messages shown, and what became of the subscriptions"

    /// - Parameter frame: keeps the range as it was asked for.
    package init(_ frame: Frame, _ offers: RetentionOffers) {
        var frame = frame.present
        frame.position = offers.position
        self.frame = frame
        self.offers = offers
    }

    package var page: Page {
        let reasons = RetentionOffers.reasons.map { reason -> (String, HTML?) in
            (reason.rawValue, "\(offers.unanswered[reason] ?? 0)")
        }
        let range: HTML = """
            \(HTML.input("from", "From", frame.asked("from"))) \
            \(HTML.input("to", "To", frame.asked("to")))
            """
        return Page(
            "Retention offers", frame,
            """
            \(frame.addressForm(range))
            <p class="muted">retention-offers/1 · answered from \(frame.time(offers.from)) until \
            before \(frame.time(offers.to)) · computed at position \(offers.position)</p>
            \(table)
            <h2>Requests without a message</h2>
            \(HTML.fields(reasons))
            <p class="muted">Kept: the subscription is in a period again after the end of the one \
            in which its customer was asked. Lost: it is in another state then. Open: not known \
            yet. Only what is known now is counted.</p>
            """)
    }

    private var table: HTML {
        let figures = ["Shown", "Kept", "Lost", "Open"]
        let table = RowTable(
            label: "Retention offers", heads: ["Rule", "Message", "Offer"] + figures,
            figures: Set(figures))
        // A link may name any row.
        let start = min(frame.firstRow ?? 0, offers.rows.count)
        let end = start + Frame.rowCount
        let rows = offers.rows.dropFirst(start).prefix(Frame.rowCount).map { row in
            table.row([
                "\(row.rule)", "<bdi>\(row.message)</bdi>", "\(row.promotionalOffer ?? "–")",
                "\(row.shown)", "\(row.count(.kept))", "\(row.count(.lost))",
                "\(row.count(.open))",
            ])
        }
        let next = end < offers.rows.count ? String(end) : nil
        return """
            \(table.html(rows, empty: "No message was shown in this range."))
            \(frame.pager("More rows", "row", next))
            """
    }
}
