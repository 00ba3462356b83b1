internal import AppStore
internal import Ledger
internal import LedgerStore
internal import Projection
internal import Queries
package import Reports

/// The chains behind one cell of a report, each with the events that decided it.
package enum CellPage {
    /// - Parameter frame: keeps the parameters of the cell.
    package static func page(_ frame: Frame, _ cell: CellChains) -> Page {
        var frame = frame
        frame.position = cell.stamp.position
        let column = Report.heading(cell.column.name)
        let isYearly = cell.column.unit == .annualisedMilliunits
        let amount = cell.text(of: cell.amount) + (isYearly ? " a year" : "")
        let twelfth: HTML =
            isYearly ? " Amounts are of a year; a month is a twelfth of their sum." : ""
        let zone = frame.reportZone
        let groups = cell.group.map { "\($0.dimension.rawValue) \($0.value ?? "not stated")" }
        let about = ([cell.metric.rawValue, column] + groups).joined(separator: " · ")
        let chains: HTML = cell.chainCount == 1 ? "1 chain" : "\(cell.chainCount) chains"
        let table = RowTable(
            label: "Chains", heads: ["Chain", "Adds", "Because of"], figures: ["Adds"])
        let rows = cell.chains.map { chain -> HTML in
            table.row([
                frame.chain(chain.chain), "\(cell.text(of: chain.amount))",
                frame.events(chain.events, omitted: chain.eventsOmitted),
            ])
        }
        return Page(
            "\(amount) \(column)", frame,
            """
            <p>\(about) · \(zone.label(cell.from)) to \(zone.label(cell.to)) · \(chains)</p>
            <p class="muted">\(cell.stamp.definition), computed at position \(cell.stamp.position). The \
            chains add up to the cell, before amounts are rounded here.\(twelfth)</p>
            \(converted(cell.stamp.rates, isRecurring: isYearly))
            \(table.html(rows, empty: "No chain counts here."))
            \(frame.pager("More", "after", cell.next?.cursor))
            """)
    }

    /// The rates. Recurring money has those of one day (`Metrics.md`, Money).
    private static func converted(_ rates: CurrencyRates?, isRecurring: Bool) -> HTML {
        guard let rates else { return "" }
        let ofDay =
            isRecurring && rates.day != nil
            ? ", at the rates of this interval's last day; a longer report converts with those of"
                + " its own last day" : ""
        return "<p class=\"muted\">\(rates.line)\(ofDay)</p>"
    }
}
