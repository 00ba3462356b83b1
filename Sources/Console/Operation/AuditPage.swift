internal import AppStore
internal import LedgerStore
internal import Projection
internal import Proofs
package import Service

/// The tree's head, and whether the log was found intact.
package struct AuditPage {
    let frame: Frame
    let standing: AuditStanding
    /// Checkpoints that were kept, newest first, and where the next page continues.
    let kept: (checkpoints: [KeptCheckpoint], next: Int64?)

    package init(
        _ frame: Frame, _ standing: AuditStanding,
        _ kept: (checkpoints: [KeptCheckpoint], next: Int64?)
    ) {
        self.frame = frame
        self.standing = standing
        self.kept = kept
    }

    package var page: Page {
        Page(
            "Audit", frame,
            """
            \(frame.live("audit", "\(head)\(verify)\(runs)"))
            <p class="muted">Each event's page proves that it is in this tree. \
            <code>subledger audit verify --signatures</code> does the same without this service. \
            \(proofs)</p>
            <h2>Checkpoints</h2>
            \(keptTable)
            \(frame.pager("Older", "before", kept.next.map(String.init)))
            """)
    }

    private var head: HTML {
        guard let head = standing.head else {
            return "<p class=\"banner warn\">The end of the log cannot be read.</p>"
        }
        return .fields([
            ("Events", "\(head.position)"),
            ("Root", "<span class=\"id\">\(head.root.hexadecimal)</span>"),
        ])
    }

    private var verify: HTML {
        frame.act("Verify now", "audit", "verify", if: standing.running == nil)
    }

    private var runs: HTML {
        """
        \(standing.running.map { run($0) })
        \(standing.last.map { run($0) } ?? never)
        """
    }

    private var keptTable: HTML {
        let table = RowTable(
            label: "Checkpoints",
            heads: ["Events", "Signed (\(frame.zoneName))", "Signature", "Witnesses"],
            figures: ["Events"])
        let rows = kept.checkpoints.map { checkpoint -> HTML in
            let witnesses = checkpoint.witnesses.joined(separator: ", ")
            return table.row([
                "\(checkpoint.size)", frame.time(checkpoint.signedAt),
                text(checkpoint.signature), "\(witnesses)",
            ])
        }
        return table.html(rows, empty: "No checkpoint of this log was signed.")
    }

    /// Why no signature is checked.
    private var unchecked: String {
        frame.hasProofs
            ? "the key under audit cannot be used" : "no key is configured under audit"
    }

    private func text(_ signature: CheckpointSignature?) -> HTML {
        switch signature {
        case nil: "not checked: \(unchecked)"
        case .valid: "<span class=\"tag good\">signed by the configured key</span>"
        case .otherKey: "<span class=\"tag warn\">by another key of the origin alone</span>"
        case .invalid: "<span class=\"tag bad\">not signed by the configured key</span>"
        }
    }

    private var proofs: HTML {
        frame.hasProofs
            ? """
            The pages of customers, subscriptions and events offer a proof as a file, which \
            <code>subledger audit check</code> verifies anywhere.
            """
            : "With a key under <code>audit</code> in the configuration, pages offer proofs as files."
    }

    private var never: HTML {
        standing.running == nil
            ? "<p class=\"banner info\">Not verified since this node started.</p>" : ""
    }

    private func run(_ run: AuditRun) -> HTML {
        switch run.state {
        case .waiting, .running:
            return """
                <section class="verdict unknown"><p>… <b>Verifying</b>, \(run.done) of \(run.all), since \
                \(frame.time(run.startedAt)) for \(run.actor).</p></section>
                """
        case .failed(let code, let message):
            return """
                <section class="verdict no"><p>✗ <b>\(code)</b>: \(message)</p></section>
                """
        case .finished(let found):
            let (report, checkpoints) = (found.report, found.checkpoints)
            let isSound = report.isSound && checkpoints?.isSound != false
            let signatures: HTML =
                report.signaturesVerified.map {
                    ", \($0.named("event's signature", "events' signatures")) verified"
                } ?? ""
            let compared: HTML = checkpoints.map { comparison($0) } ?? ""
            return """
                <section class="verdict \(isSound ? "yes" : "no")"><p>\
                \(isSound ? "✓" : "✗") <b>\(isSound ? "Sound" : "Not sound")</b>: \
                \(report.log.eventCount.named("event", "events")), \
                \(report.log.tombstoneCount) of them erased\(signatures)\
                \(compared).\
                </p><p class="rests">Verified \(frame.time(run.endedAt)) for \(run.actor).</p>\
                \(findings(report, checkpoints))</section>
                """
        }
    }

    private func comparison(_ report: CheckpointAudit.Report) -> HTML {
        let signed: HTML =
            report.signedCount.map { ", \($0) of them signed by the configured key" }
            ?? ", whose signatures are not checked, as \(unchecked)"
        let what = report.isSound ? "extends" : "does not extend all of"
        let count = report.checkpointCount
        return ", \(what) \(count.named("checkpoint", "checkpoints"))\(signed)"
    }

    private func findings(
        _ report: Audit.Report, _ checkpoints: CheckpointAudit.Report?
    ) -> HTML {
        let signed = (checkpoints?.findings ?? []).map { "<li>\($0.text)</li>" as HTML }
        let found = report.log.findings.map { finding -> HTML in
            let place: HTML = finding.position.map { "\(frame.event($0)): " } ?? ""
            return "<li>\(place)\(finding.text)</li>"
        }
        let signatures = report.signatureFindings.map { finding -> HTML in
            "<li>\(frame.event(finding.position)): \(finding.code), \(finding.message)</li>"
        }
        let shown = (signed + found + signatures).prefix(Frame.rowCount)
        return shown.isEmpty ? "" : "<ul>\(Array(shown))</ul>"
    }
}
