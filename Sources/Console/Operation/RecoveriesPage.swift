internal import AppStore
internal import AppleSync
internal import LedgerStore
package import Service

/// Recoveries: running, open and past.
package struct RecoveriesPage {
    let frame: Frame

    package init(_ frame: Frame) { self.frame = frame }

    package func list(_ listing: RecoveryListing) -> Page {
        let started = listing.started.map { job -> HTML in
            """
            <tr data-row><td data-label="Recovery"><a href="\(frame.url("recoveries", job.id))">\
            \(job.id.prefix(8))</a></td><td data-label="Window">\(frame.time(job.from)) to \
            \(frame.time(job.to))</td><td data-label="State">\(job.state.name)</td>\
            <td data-label="By">\(job.actor): \(job.reason)</td></tr>

            """
        }
        let stored = listing.reports.map { report -> HTML in
            """
            <tr data-row><td data-label="Report"><a href="\(frame.url("recoveries", String(report.id)))">\
            \(report.id)</a></td><td data-label="App">\(report.bundleId)</td>\
            <td data-label="Ended">\(frame.time(report.endedAt))</td>\
            <td data-label="Result">\(report.isFlawed ? "incomplete" : "complete")</td></tr>

            """
        }
        let open = listing.open.map { record -> HTML in
            """
            <li>Begun \(frame.time(record.requestedAt)), not ended: \(record.slices.count) slices.</li>

            """
        }
        return Page(
            "Recoveries", frame,
            """
            <h1>Recoveries</h1>
            <div id="recoveries" data-refresh="5">
            \(frame.viewer.operates ? start : "")
            \(section("Started here", ["Recovery", "Window", "State", "By"], started))
            \(open.isEmpty ? "" : "<h2>Not ended</h2><ul>\(open)</ul>" as HTML)
            \(section("Reports", ["Report", "App", "Ended", "Result"], stored))
            </div>
            """)
    }

    private var start: HTML {
        "<p class=\"acts\"><a href=\"\(frame.url("recoveries", "start"))\">Recover a window</a></p>"
    }

    private func section(_ title: String, _ heads: [String], _ rows: [HTML]) -> HTML {
        guard !rows.isEmpty else { return "<h2>\(title)</h2><p class=\"muted\">None.</p>" }
        return """
            <h2>\(title)</h2>
            <div class="scroll" role="region" aria-label="\(title)">
            <table class="rows stack"><thead><tr>\(heads.map { "<th scope=\"col\">\($0)</th>" as HTML })\
            </tr></thead><tbody>
            \(rows)</tbody></table></div>
            """
    }

    package func entry(_ entry: RecoveryEntry) -> Page {
        switch entry {
        case .started(let job): started(job)
        case .stored(let report):
            Page(
                "Recovery", frame,
                """
                <h1>Recovery</h1>
                <p>Of \(report.bundleId), ended \(frame.time(report.endedAt)): \
                \(report.isFlawed ? "incomplete" : "complete").</p>
                <pre class="json" tabindex="0" aria-label="Report">\
                \(report.text)</pre>
                """)
        }
    }

    private func started(_ job: RecoveryJob) -> Page {
        let result: HTML
        switch job.state {
        case .running:
            result = "<p>Running: \(RecoveryText.progress(job.progress))</p>"
        case .finished(let report):
            result =
                "<pre class=\"json\" tabindex=\"0\" aria-label=\"Report\">\(RecoveryText.report(report))</pre>"
        case .failed(let code, let message):
            result = "<p class=\"banner warn\"><b>\(code)</b>: \(message)</p>"
        }
        return Page(
            "Recovery \(job.id.prefix(8))", frame,
            """
            <h1>Recovery \(job.id.prefix(8))</h1>
            <div id="recovery" data-refresh="2">
            <dl class="fields"><dt>App</dt><dd>\(job.bundleId)</dd><dt>Window</dt>\
            <dd>\(frame.time(job.from)) to \(frame.time(job.to))</dd>\
            <dt>Started</dt><dd>\(frame.time(job.startedAt)) by \(job.actor): \(job.reason)</dd>\
            <dt>Ended</dt><dd>\(frame.time(job.endedAt))</dd></dl>
            \(result)
            </div>
            """)
    }
}
