internal import AppStore
internal import Ledger
internal import Queries
package import Service

/// The decisions with author and reason, including refused attempts.
package enum DecisionsPage {
    package static func page(_ frame: Frame, _ listing: DecisionPage) -> Page {
        let table = RowTable(
            label: "Decisions",
            heads: ["Event", "When (\(frame.zoneName))", "What, by whom, why", "About"])
        let made = listing.decisions.map { receipt -> (at: Timestamp, row: HTML) in
            let chain: HTML = receipt.chain.map { frame.chain($0) } ?? ""
            let customer: HTML = receipt.command.customer.map { frame.customer($0) } ?? ""
            let row = table.row([
                frame.event(receipt.position), frame.time(receipt.receivedAt),
                "\(receipt.command.text)", "\(customer) \(chain)",
            ])
            return (receipt.receivedAt, row)
        }
        let refused = listing.refused.map { refused -> (at: Timestamp, row: HTML) in
            let author = Command.author(refused.actor, refused.tokenName)
            let customer: HTML = refused.customer.map { frame.customer($0) } ?? ""
            let row = table.row([
                "<span class=\"tag bad\">refused: \(refused.code)</span>", frame.time(refused.at),
                "\(refused.command.rawValue), by \(author): \(refused.reason)",
                "\(customer) \(refused.subscription ?? "")",
            ])
            return (refused.at, row)
        }
        let rows = (refused + made).sorted { $0.at > $1.at }.map(\.row)
        return Page(
            "Decisions", frame,
            """
            <p class="muted">Links, grants and notes stand in the log for ever; refused attempts are kept \
            by this node until it stops, or until a person's data is erased.</p>
            \(table.html(rows, empty: "No decision was found here."))
            \(frame.pager("Older", "before", listing.next.map(String.init)))
            """)
    }
}
