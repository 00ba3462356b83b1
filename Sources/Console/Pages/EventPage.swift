package import AppStore
package import Ledger
internal import LedgerStore
internal import Projection
package import Queries
internal import Reports
internal import Signing

/// One event: its fields, its evidence as Apple signed it, and the proof that it is in the log.
package struct EventPage {
    let frame: Frame
    let detail: EventDetail
    /// The subscriptions that the event is about, and what it decided of each.
    let decided: [(chain: ChainId, changes: [DecidedChange])]
    /// SHA-256 of the roots that this service trusts.
    let roots: [Digest]

    package init(
        _ frame: Frame, _ detail: EventDetail,
        decided: [(chain: ChainId, changes: [DecidedChange])], roots: [Digest]
    ) {
        self.frame = frame
        self.detail = detail
        self.decided = decided
        self.roots = roots
    }

    private var event: RecordedEvent { detail.event }

    /// Longest evidence that the page shows as it is, bytes.
    static let shownByteCount = 24 * 1_024
    /// Subscriptions, and changes of them, that the page names.
    package static let decidedCount = 12

    package var page: Page {
        let name = event.name
        return Page(
            "Event #\(event.position) \(name)", frame,
            """
            \(unknownThen)
            \(neighbours)
            \(erasure)
            \(fields)
            \(verification)
            \(content)
            """)
    }

    /// In a view of the past: that the event was not known then.
    private var unknownThen: HTML {
        let knowledge = frame.state.knowledge
        return knowledge.admits(position: event.position, receivedAt: event.receivedAt)
            ? "" : "<p class=\"banner warn\" role=\"status\">This event had not arrived then.</p>"
    }

    private var neighbours: HTML {
        let position = event.position
        let previous: HTML =
            position > 1
            ? "<a rel=\"prev\" href=\"\(frame.url("events", String(position - 1)))\">‹ #\(position - 1)</a>"
            : ""
        let next: HTML =
            position < detail.head
            ? "<a rel=\"next\" href=\"\(frame.url("events", String(position + 1)))\">#\(position + 1) ›</a>"
            : ""
        let raw: HTML =
            detail.evidence == nil
            ? ""
            : "<a href=\"\(frame.url("events", String(position), "raw"))\" data-key=\"e\">Raw bytes</a>"
        // Nothing proves what an erased event stated.
        let proof = detail.evidence == nil ? "" : frame.present.proof("events", String(position))
        return "<nav class=\"pager\" aria-label=\"Events\">\(previous) \(next) \(raw)"
            + " \(proof)</nav>"
    }

    private var fields: HTML {
        let attributes = event.attributes
        let rows: [(String, HTML?)] = [
            ("Kind", "\(attributes.kind.rawValue)"), ("Source", "\(attributes.source.rawValue)"),
            ("Vouched for by", "\(attributes.vouching)\(isApple ? "" : Self.addedRoot)"),
            // Grants and erasures are of no app.
            ("App", attributes.bundleId.rawValue.isEmpty ? nil : "\(attributes.bundleId)"),
            (decided.count > 1 ? "Subscriptions" : "Subscription", subscriptions),
            (frame.state.isHistoric ? "Decides, as known now" : "Decides", decides),
            ("Notification", attributes.notificationUUID.map { "<bdi class=\"id\">\($0)</bdi>" }),
            (isSigned ? "Signed" : "Dated", attributes.signedAt.map { frame.time($0) }),
            ("Received", received),
            ("Conflict", event.isConflict ? "yes: another event states the same identity" : nil),
            ("Evidence SHA-256", "<span class=\"id\">\(event.evidenceHash.hexadecimal)</span>"),
            ("Leaf hash", "<span class=\"id\">\(event.leafHash.hexadecimal)</span>"),
        ]
        return .fields(rows)
    }

    /// When the event arrived, how late, and whether only an import says so.
    private var received: HTML {
        let time = frame.time(event.receivedAt)
        guard event.isArrivalKnown else { return "unknown; an import read it at \(time)" }
        let lateness: HTML =
            event.attributes.signedAt.map { signed in
                let late = Duration.milliseconds(
                    max(0, event.receivedAt.milliseconds(since: signed)))
                return " (+\(late.text))"
            } ?? ""
        return "\(time)\(lateness)\(event.receivedAtClaimed ? ", as the import states" : "")"
    }

    private var subscriptions: HTML? { listed(decided.map { frame.chain($0.chain) }) }

    /// What the event decided; nil where it decided nothing that is known now.
    private var decides: HTML? {
        listed(
            decided.flatMap { chain, changes in
                let whose: HTML = decided.count > 1 ? "\(frame.chain(chain)): " : ""
                return changes.map { whose + words($0) }
            })
    }

    private func listed(_ parts: [HTML]) -> HTML? {
        guard !parts.isEmpty else { return nil }
        let more: HTML = parts.count > EventPage.decidedCount ? " and more" : ""
        return Array(parts.prefix(EventPage.decidedCount)).joined(", ") + more
    }

    private func words(_ change: DecidedChange) -> HTML {
        switch change.kind {
        case .state(let state): "<b>\(state.text)</b> from \(frame.time(change.at))"
        case .fact(let name): "\(TimelineRows.words(name.rawValue)) at \(frame.time(change.at))"
        case .counted(let column): counted(column, change.at)
        }
    }

    /// The cell of monthly churn that counts a movement; a link for viewers of reports.
    private func counted(_ column: RollForwardColumn, _ moment: Timestamp) -> HTML {
        let month = ReportInterval.month.start(of: frame.reportZone.day(of: moment))
        let text: HTML = "churn of \(month.text.prefix(7)), \(Report.heading(column.name))"
        guard frame.viewer.seesReports else { return "counted in \(text)" }
        let address = frame.present.url(
            "reports", MetricName.churnName, "cell",
            query: [("from", month.text), ("column", column.name)])
        return "counted in <a href=\"\(address)\">\(text)</a>"
    }

    private var isApple: Bool {
        event.attributes.rootFingerprint.map { TrustedRoots.isApple($0) } ?? true
    }

    private static let addedRoot = ", under a root that the operator added instead of Apple's"

    // MARK: Verification

    /// What `verify.js` checks, as attributes, bytes in hexadecimal:
    ///
    /// - `data-jws-from`: the id of the element with the JWS; else `data-raw`: the address of the
    ///   evidence, and `data-jws` where that is a JWS or a pair
    /// - `data-date`: the date of a JWS where neither it, a part of it nor the other one of its
    ///   pair has one, milliseconds
    /// - `data-roots`, `data-path`: hashes, separated by spaces, and by commas
    /// - `data-leaf`: in Base64; absent for an erased event
    /// - `data-index`, `data-size`: the position - 1, and the number of leaves
    private var verification: HTML {
        guard let proof = detail.proof else {
            return """
                <p class="banner warn">The log does not prove this event: run \
                <code>subledger audit verify</code>.</p>
                """
        }
        let path = proof.path.map(\.hexadecimal).joined(separator: ",")
        // The leaf of an erased event commits to what was erased: its hash is left.
        let isErased = detail.evidence == nil && detail.damage == nil
        let leafData = isErased ? event.knownLeafData : event.leafData
        let leaf: HTML =
            leafData.map { data in
                let text = String(decoding: Base64.standard.encode(data), as: UTF8.self)
                return " data-leaf=\"\(text)\""
            } ?? ""
        return """
            <section id="verify"\(evidenceAttributes)\(leaf) \
            data-date="\(event.receivedAt.milliseconds)" \
            data-roots="\(roots.map(\.hexadecimal).joined(separator: " "))" \
            data-leaf-hash="\(event.leafHash.hexadecimal)" \
            data-index="\(event.position - 1)" data-size="\(proof.treeSize)" data-path="\(path)" \
            data-tree-root="\(proof.root.hexadecimal)">
            <h2>Verification in this browser</h2>
            \(unsigned)
            <noscript><p class="banner warn">Nothing was verified here: that needs JavaScript. \
            <code>subledger audit verify --signatures</code> checks the same.</p></noscript>
            <ul class="checks" aria-live="polite"></ul>
            <p class="muted">\(subject) The fields above and the payload below are the service's \
            reading; the browser does not check them. The log's tree: \(proof.treeSize) events \
            with root <span class="id">\(proof.root.hexadecimal.prefix(16))…</span></p>
            </section>
            """
    }

    /// What the checks of this event are about, whether or not the browser can make them.
    private var subject: HTML {
        if detail.evidence == nil {
            return detail.damage == nil
                ? "The bytes of this event were erased, so that only their hashes can be checked."
                : "The bytes of this event cannot be read, so that only their hashes can be checked."
        }
        guard isJWS else { return "The checks that stand above are of the bytes of this event." }
        return isApple
            ? "The checks that stand above are of this event's bytes and certificates up to Apple's root."
            : "The checks that stand above are of this event's bytes and certificates up to the added root."
    }

    /// Whether the browser can check Apple's signatures: JWS, not receipts (PKCS #7).
    private var isJWS: Bool {
        guard event.attributes.trust == .signed else { return false }
        switch event.attributes.kind {
        case .notification, .transaction, .renewalPair, .appTransaction: return true
        case .receipt, .verifyReceipt, .notificationV1, .command, .sweep, .erasure: return false
        }
    }

    /// Where `verify.js` finds the evidence: a short JWS on the page; anything else at the address
    /// of the raw bytes, since the page may show characters escaped.
    private var evidenceAttributes: HTML {
        guard let evidence = detail.evidence else { return "" }
        if isJWS, event.attributes.kind != .renewalPair,
            evidence.count <= EventPage.shownByteCount
        {
            return " data-jws-from=\"jws\""
        }
        let raw = frame.url("events", String(event.position), "raw")
        let jws: HTML = isJWS ? " data-jws=\"true\"" : ""
        return " data-raw=\"\(raw)\"\(jws)"
    }

    /// Why the browser checks no signature, and who verified it instead; nothing for a JWS.
    private var unsigned: HTML {
        guard !isJWS, detail.evidence != nil else { return "" }
        let reason: HTML
        switch (event.attributes.kind, event.attributes.trust) {
        case (_, .xcode): reason = "Xcode made its certificate, which proves nothing."
        case (.receipt, _):
            reason = """
                The service verified this receipt (PKCS #7) up to Apple's root when it arrived; this \
                page does not. <code>subledger audit verify --signatures</code> does it again, also \
                offline on a copy of the log.
                """
        case (.notificationV1, _):
            reason = """
                Apple did not sign this: the service compared the app's shared secret in it when it \
                arrived. <code>subledger audit verify --signatures</code> compares it again, with the \
                secret configured.
                """
        case (.verifyReceipt, _):
            reason =
                event.attributes.source == .import
                ? "Apple did not sign this: an operator imported it, and vouches for it."
                : "Apple did not sign this: the service received it from Apple over TLS."
        default: reason = "Apple did not sign this: it is a record of this service."
        }
        return """
            <p class="banner info">\(reason) The checks here are of the log having exactly these \
            bytes.</p>
            """
    }

    // MARK: Content

    private var content: HTML {
        guard let evidence = detail.evidence else {
            return detail.damage.map {
                "<p class=\"banner warn\">The evidence cannot be read: \($0.code.rawValue).</p>"
            } ?? "<p class=\"banner info\">The evidence was erased; its hashes remain.</p>"
        }
        let certificates = PayloadView.certificates(of: evidence).enumerated().map {
            place, fingerprint -> HTML in
            let name = place == 0 ? "leaf" : place == 1 ? "intermediate" : "root"
            return "<li>\(name) <span class=\"id\">\(fingerprint)</span></li>"
        }
        let chain: HTML =
            certificates.isEmpty ? "" : "<h2>Certificates (SHA-256)</h2><ul>\(certificates)</ul>"
        return """
            <h2>Payload</h2>
            \(PayloadView.html(detail.payload))
            <h2>\(isSigned ? "Signed bytes" : "Bytes")</h2>
            \(bytes(evidence))
            \(chain)
            """
    }

    /// Whether the evidence itself is signed, by Apple or by Xcode.
    private var isSigned: Bool { [.signed, .xcode].contains(event.attributes.trust) }

    private func bytes(_ evidence: [UInt8]) -> HTML {
        guard evidence.count <= EventPage.shownByteCount else {
            return "<p class=\"muted\">\(evidence.count) bytes: see the raw bytes.</p>"
        }
        let text =
            event.attributes.kind == .receipt
            ? String(decoding: Base64.standard.encode(evidence), as: UTF8.self)
            : String(decoding: evidence, as: UTF8.self)
        return """
            <details><summary>\(evidence.count) bytes, as they \
            \(isSigned ? "were signed" : "are in the log")</summary>
            <pre class="jws" id="jws">\(text)</pre></details>
            """
    }

    // MARK: Erasures

    /// Positions of an erasure that are links.
    static let erasedLinkCount = 100

    /// What an erasure did, in plain words; nothing for other events.
    var erasure: HTML {
        guard detail.event.attributes.kind == .erasure, let evidence = detail.evidence,
            let erasure = Erasure(evidence: evidence)
        else { return "" }
        let erased = frame.events(erasure.positions, upTo: EventPage.erasedLinkCount)
        let (extent, rest): (HTML, HTML) =
            erasure.positions.isEmpty
            ? ("inputs in quarantine", "The log held no event about it.")
            : (
                "the evidence of \(erasure.positions.count.named("event", "events"))",
                """
                Erased: \(erased). The hashes of these events remain, so every proof holds; what they \
                stated is below under random ids, so every figure stays.
                """
            )
        return """
            <section class="verdict unknown">
            <p>A person's data was erased: \(extent).</p>
            <p class="rests">By \(Command.author(erasure.actor, erasure.tokenName)): \(erasure.reason)</p>
            <p class="rests">\(rest)</p>
            </section>
            """
    }
}
