internal import AppStore
internal import Ledger
internal import LedgerStore
internal import Reports
package import Service

/// Whether intake is healthy, what may be missing, and what to do about it.
package struct IntakePage {
    let frame: Frame
    let status: IntakeStatus

    package init(_ frame: Frame, _ status: IntakeStatus) {
        self.frame = frame
        self.status = status
    }

    package var page: Page {
        Page(
            "Intake", frame,
            """
            \(frame.live("intake", content))
            <p class="acts">\(frame.link("Recoveries", "recoveries")) \
            \(frame.link("Webhooks", "webhooks")) \(frame.link("Quarantine", "quarantine")) \
            \(lateness)</p>
            """)
    }

    /// How late notifications arrive, for those who may see reports.
    private var lateness: HTML {
        let name = MetricName.lateness.rawValue
        return frame.viewer.seesReports ? frame.link("Lateness", "reports", name) : ""
    }

    private var content: HTML {
        """
        \(IntakePage.health(status, frame))
        <p class="muted">Updated \(frame.time(status.at)).</p>
        \(status.apps.map { app($0) })
        \(counts)
        \(quarantine)
        \(disk)
        """
    }

    /// The line that says whether events are accepted.
    static func health(_ status: IntakeStatus, _ frame: Frame) -> HTML {
        let lag: HTML =
            status.lagPositions > 0
            ? """
            ; lag \(status.lagPositions): answers reach position \(status.head - status.lagPositions)
            """ : status.isKnown ? "; lag 0" : ""
        guard status.isReady else {
            let advice: HTML =
                status.problems.contains(StoreError.Code.logWentBack.rawValue)
                ? Frame.wentBackAdvice
                : status.environment == .production
                    ? "Apple sends them again: nothing is lost if this ends within days."
                    : "Apple sends these once: recover the window afterwards (30 days)."
            return """
                <section class="verdict no"><p>✗ <b>Events are not accepted</b>: \
                \(status.problems.joined(separator: ", "))\(lag).</p>\
                <p class="rests">\(advice)</p>\
                </section>
                """
        }
        return """
            <section class="verdict yes"><p>✓ <b>Events are accepted</b>, log at position \
            \(status.head)\(lag).</p></section>
            """
    }

    // MARK: Apps

    private func app(_ app: IntakeStatus.App) -> HTML {
        let complete: HTML =
            app.complete.map { "from \(frame.time($0.from)) through \(frame.time($0.through))" }
            ?? "<span class=\"tag warn\">not confirmed</span>"
        let last: HTML =
            app.lastEventPosition.map { "\(frame.event($0)), \(frame.time(app.lastEventAt))" }
            ?? (status.isKnown ? "\(IntakePage.noEvent(head: status.head))" : "unknown")
        return """
            <section class="card" data-row><h2>\(app.bundleId)</h2>
            \(HTML.fields([
                ("Last from Apple", frame.time(app.lastNotificationAt)), ("Last event", last),
                ("Complete", complete),
            ]))
            \(outages(app))
            </section>
            """
    }

    /// The text for an app without a last event.
    static func noEvent(head: Int64) -> String {
        head > IntakeStatus.searchedEventCount ? "none among the newest 20,000" : "none yet"
    }

    private func outages(_ app: IntakeStatus.App) -> HTML {
        guard let check = app.outages else {
            return "<p class=\"muted\">Outages were not checked yet.</p>"
        }
        guard !check.windows.isEmpty else {
            return "<p>No outage is suspected (checked \(frame.time(check.at))).</p>"
        }
        let canRecover = frame.appsWithKey.contains(app.bundleId)
        let items = check.windows.map { window -> HTML in
            let reasons = window.reasons.map(\.rawValue).joined(separator: ", ")
            let address = frame.url(
                "recoveries", "start",
                query: [
                    ("bundleId", app.bundleId.rawValue), ("from", window.from.rfc3339),
                    ("to", window.to.rfc3339),
                ])
            let act: HTML =
                canRecover && frame.viewer.operates
                ? " <a href=\"\(address)\">Recover this window</a>" : ""
            return """
                <li><span class="tag warn">? suspected outage</span> \(frame.time(window.from)) to \
                \(frame.time(window.to)) (\(reasons))\(act)</li>

                """
        }
        let hint: HTML =
            canRecover
            ? "" : "<p class=\"muted\">This app has no API key, so Apple cannot be asked.</p>"
        return "<ul>\(items)</ul>\(hint)"
    }

    // MARK: Counts

    private var counts: HTML {
        let table = RowTable(label: "Deliveries", heads: ["Outcome", "Count"], figures: ["Count"])
        let rows = (status.intake.outcomes + status.unassigned.outcomes).map {
            table.row(["\($0.outcome)", "\($0.count)"])
        }
        return """
            <h2>Deliveries of the last 24 hours</h2>
            <p class="muted">To this node, since \(frame.time(status.intake.since)).</p>
            \(table.html(rows, empty: "Nothing was delivered."))
            """
    }

    private var quarantine: HTML {
        let table = RowTable(
            label: "Quarantine", heads: ["Standing", "Items", "Bytes"], figures: ["Items", "Bytes"])
        let rows = status.quarantine.map {
            table.row(["\($0.standing.rawValue)", "\($0.itemCount)", "\($0.byteCount)"])
        }
        return "<h2>Quarantine</h2>\(table.html(rows, empty: "Not known yet."))"
    }

    private var disk: HTML {
        func size(_ bytes: Int64) -> String {
            bytes < 10 << 20 ? "\(bytes >> 10) KiB" : "\(bytes >> 20) MiB"
        }
        let files = status.files
        // A log in a database has no file here, and neither has operational state.
        let isShared = files.logByteCount == 0
        let fields = HTML.fields([
            ("Log", isShared ? nil : "\(size(files.logByteCount))"),
            ("Operations", isShared ? nil : "\(size(files.operationsByteCount))"),
            ("Derived", "\(size(files.derivedByteCount))"),
            ("Free", files.freeByteCount.map { "\(size($0))" }),
            ("Clock", status.isClockTrusted ? nil : "✗ jumped; answers about now wait"),
        ])
        return "<h2>Disk</h2>\n\(fields)"
    }
}
