internal import AppStore
internal import Intake
package import LedgerStore
package import Service

/// Evidence that could not be accepted, and why.
package struct QuarantinePages {
    let frame: Frame

    package init(_ frame: Frame) { self.frame = frame }

    package func list(_ listing: QuarantinePage) -> Page {
        let rows = listing.items.map { item -> HTML in
            let address = frame.url("quarantine", String(item.id))
            return """
                <tr data-row><td data-label="Item"><a href="\(address)">\(item.id)</a></td>\
                <td data-label="Received">\(frame.time(item.latestAt))</td>\
                <td data-label="Standing">\(item.standing.rawValue)</td>\
                <td data-label="Code">\(item.code)</td>\
                <td data-label="Input">\(item.input)</td>\
                <td data-label="Bytes" class="num">\(item.byteCount)</td>\
                <td data-label="Deliveries" class="num">\(item.attempts)</td></tr>

                """
        }
        let retry: HTML =
            frame.viewer.operates && !rows.isEmpty
            ? """
            <p class="acts"><a href="\(frame.url("quarantine", "retry"))">Retry all</a></p>
            """ : ""
        let table: HTML =
            rows.isEmpty
            ? "<p>Nothing is in quarantine.</p>"
            : """
            <div class="scroll" role="region" aria-label="Items"><table class="rows stack">
            <thead><tr><th scope="col">Item</th><th scope="col">Received (\(frame.zoneName))</th>\
            <th scope="col">Standing</th><th scope="col">Code</th><th scope="col">Input</th>\
            <th scope="col" class="num">Bytes</th><th scope="col" class="num">Deliveries</th></tr></thead>
            <tbody>
            \(rows)</tbody></table></div>
            """
        let next: HTML =
            listing.next.map { next in
                let address = frame.state.url(frame.path, [("after", String(next))])
                return """
                    <nav class="pager" aria-label="Pages"><a rel="next" href="\(address)">Older</a></nav>
                    """
            } ?? ""
        return Page(
            "Quarantine", frame,
            """
            <h1>Quarantine</h1>
            <p class="muted">What may be genuine is kept until it can be used; Apple sends it again \
            meanwhile.</p>
            \(retry)\(table)\(next)
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
            <h1>Quarantine \(item.id)</h1>
            <p class="banner warn"><b>\(item.code)</b>: \(item.message)</p>
            <dl class="fields"><dt>Standing</dt><dd>\(item.standing.rawValue)</dd>\
            <dt>Received</dt><dd>\(frame.time(item.receivedAt))</dd>\
            <dt>Latest</dt><dd>\(frame.time(item.latestAt))</dd>\
            <dt>Deliveries</dt><dd>\(item.attempts)</dd>\
            <dt>App</dt><dd>\(item.bundleId?.rawValue ?? "not stated")</dd>\
            <dt>Environment</dt><dd>\(item.environment ?? "not stated")</dd>\
            <dt>Input</dt><dd>\(item.input)</dd><dt>Bytes</dt><dd>\(item.byteCount)</dd></dl>
            <h2>Bytes, unverified</h2>
            <pre class="jws" tabindex="0" aria-label="Bytes">\(text)</pre>
            \(rest)
            """)
    }

    /// Bytes of an item that are shown.
    static let shownByteCount = 16 * 1_024
}
