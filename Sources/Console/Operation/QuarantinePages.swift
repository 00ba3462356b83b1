internal import AppStore
internal import Intake
package import LedgerStore
package import Service

/// Evidence that could not be accepted, and why.
package struct QuarantinePages {
    let frame: Frame

    package init(_ frame: Frame) { self.frame = frame }

    package func list(_ listing: QuarantinePage) -> Page {
        let table = RowTable(
            label: "Items",
            heads: [
                "Item", "Received (\(frame.zoneName))", "Latest", "Standing", "Code", "Input",
                "Bytes", "Deliveries",
            ], figures: ["Bytes", "Deliveries"])
        let rows = listing.items.map { item in
            table.row([
                frame.personal("\(item.id)", "quarantine", String(item.id)),
                frame.time(item.receivedAt), frame.time(item.latestAt),
                "\(item.standing.rawValue)", "\(item.code)", "\(item.input)",
                "\(item.byteCount)", "\(item.attempts)",
            ])
        }
        let meanwhile: HTML =
            frame.state.environment == .production ? "; Apple sends it again meanwhile" : ""
        return Page(
            "Quarantine", frame,
            """
            <p class="muted">What may be genuine is kept until it can be used\(meanwhile).</p>
            \(frame.act("Retry all", "quarantine", "retry", if: !rows.isEmpty))\
            \(table.html(rows, empty: "Nothing is in quarantine."))
            \(frame.pager("Older", "after", listing.next.map(String.init)))
            """)
    }

    package func item(_ item: QuarantineItem) -> Page {
        let text = String(
            decoding: item.bytes.prefix(QuarantinePages.shownByteCount), as: UTF8.self)
        let rest: HTML =
            item.byteCount > Int64(QuarantinePages.shownByteCount)
            ? "<p class=\"muted\">Shown are the first \(QuarantinePages.shownByteCount) bytes.</p>"
            : ""
        return Page(
            "Quarantine \(item.id)", frame,
            """
            <p class="banner warn"><b>\(item.code)</b>: \(item.message)</p>
            \(HTML.fields([
                ("Standing", "\(item.standing.rawValue)"),
                ("Received", frame.time(item.receivedAt)), ("Latest", frame.time(item.latestAt)),
                ("Deliveries", "\(item.attempts)"),
                ("App", "\(item.bundleId?.rawValue ?? "not stated")"),
                ("Environment", "\(item.environment ?? "not stated")"),
                ("Input", "\(item.input)"), ("Bytes", "\(item.byteCount)"),
            ]))
            <h2>Bytes, unverified</h2>
            <pre class="jws" tabindex="0" aria-label="Bytes">\(text)</pre>
            \(rest)
            """)
    }

    /// Bytes of an item that are shown.
    static let shownByteCount = 16 * 1_024
}
