internal import AppStore
internal import Ledger
package import LedgerStore
internal import Queries

/// The log, newest first, with filters.
package struct EventsPage {
    let frame: Frame
    let events: [RecordedEvent]
    /// The position to continue before; nil at the beginning of the log.
    let next: Int64?
    /// Whether the list follows the log while the page is shown.
    let isLive: Bool

    /// - Parameter frame: keeps the filters.
    package init(_ frame: Frame, _ events: [RecordedEvent], next: Int64?, isLive: Bool) {
        self.frame = frame
        self.events = events
        self.next = next
        self.isLive = isLive && frame.kept.allSatisfy { $0.1 == nil }
    }

    package var page: Page {
        let stop = frame.own(frame.state, [("live", "false")])
        let note: HTML = "<a href=\"\(stop)\">Stop following</a>"
        let list: HTML = """
            \(table.html(events.map { row($0) }, empty: empty))
            \(frame.pager("Older", "before", next.map(String.init)))
            """
        return Page(
            "Events", frame,
            """
            \(form)
            \(isLive ? frame.live("list", list, note: note) : list)
            """)
    }

    /// A page scans a bounded number of events, of which none may match the filters.
    private var empty: HTML {
        next.map { "Nothing among the events down to #\($0); “Older” looks further back." }
            ?? "No event was found."
    }

    private var table: RowTable {
        RowTable(
            label: "Events",
            heads: ["Position", "Received (\(frame.zoneName))", "What", "Source", "Subscription"])
    }

    private func row(_ event: RecordedEvent) -> HTML {
        table.row([
            frame.event(event.position), frame.time(event.receivedAt),
            "\(event.name)", "\(event.attributes.source.rawValue)",
            event.attributes.chainId.map { frame.chain($0) } ?? "–",
        ])
    }

    private var form: HTML {
        func input(_ name: String, _ label: String, _ hint: String) -> HTML {
            .input(name, label, frame.asked(name), hint: hint)
        }
        return frame.addressForm(
            """
            \(input("types", "Types", "DID_RENEW, REFUND, command"))
            \(input("receivedFrom", "Received from", "2026-01-31"))
            \(input("receivedTo", "to", "2026-02-01"))
            """)
    }
}
