internal import AppStore
internal import AppleSync
internal import LedgerStore
package import Service

/// Recoveries: running, open and past.
package struct RecoveriesPage {
    let frame: Frame

    package init(_ frame: Frame) { self.frame = frame }

    package func list(_ listing: RecoveryListing) -> Page {
        let here = RowTable(label: "Started here", heads: ["Recovery", "Window", "State", "By"])
        let started = listing.started.map { job -> HTML in
            here.row([
                frame.personal("\(job.id.prefix(8))", "recoveries", job.id),
                "\(frame.time(job.from)) to \(frame.time(job.to))", "\(job.state.name)",
                "\(job.actor): \(job.reason)",
            ])
        }
        let reports = RowTable(label: "Reports", heads: ["Report", "App", "Ended", "Result"])
        let stored = listing.reports.map { report -> HTML in
            reports.row([
                frame.personal("\(report.id)", "recoveries", String(report.id)),
                "\(report.bundleId)", frame.time(report.endedAt),
                RecoveriesPage.result(isFlawed: report.isFlawed),
            ])
        }
        let open = listing.open.map { record -> HTML in
            """
            <li>Begun \(frame.time(record.requestedAt)), not ended: \
            \(record.slices.count.named("slice", "slices")).</li>

            """
        }
        let hasKey = !frame.appsWithKey.isEmpty
        let content: HTML = """
            \(frame.act("Recover a window", "recoveries", "start", if: hasKey))
            <h2>Started here</h2>
            \(here.html(started, empty: "None."))
            \(open.isEmpty ? "" : "<h2>Not ended</h2><ul>\(open)</ul>" as HTML)
            <h2>Reports</h2>
            \(reports.html(stored, empty: "None."))
            """
        return Page("Recoveries", frame, frame.live("recoveries", content))
    }

    package func entry(_ entry: RecoveryEntry) -> Page {
        switch entry {
        case .started(let job): started(job)
        case .stored(_, let report):
            Page(
                "Recovery", frame,
                """
                <p>Of \(report.bundleId), ended \(frame.time(report.endedAt)): \
                \(RecoveriesPage.result(isFlawed: report.isFlawed)).</p>
                <pre class="json" tabindex="0" aria-label="Report">\
                \(frame.timed(report.text))</pre>
                """)
        }
    }

    /// Whether the window became certain, only the report itself says.
    private static func result(isFlawed: Bool) -> HTML {
        isFlawed ? "some refused" : "nothing refused"
    }

    private func started(_ job: RecoveryJob) -> Page {
        let result: HTML
        switch job.state {
        case .waiting, .running:
            result = "<p>Running: \(RecoveryText.progress(job.progress))</p>"
        case .finished(let report):
            result = """
                <pre class="json" tabindex="0" aria-label="Report">\
                \(frame.timed(RecoveryText.report(report)))</pre>
                """
        case .failed(let code, let message):
            result = "<p class=\"banner warn\"><b>\(code)</b>: \(message)</p>"
        }
        let fields = HTML.fields([
            ("App", "\(job.bundleId)"),
            ("Window", "\(frame.time(job.from)) to \(frame.time(job.to))"),
            ("Started", "\(frame.time(job.startedAt)) by \(job.actor): \(job.reason)"),
            ("Ended", frame.time(job.endedAt)),
        ])
        return Page(
            "Recovery \(job.id.prefix(8))", frame,
            frame.live("recovery", fields + "\n" + result))
    }
}
