internal import AppStore
internal import Ledger
package import Queries

/// One subscription or purchase: every field, its states over time, and its timeline.
package struct SubscriptionPage {
    let frame: Frame
    let reading: ChainReading
    let entries: TimelinePage<CustomerReading.Entry>

    /// - Parameter before: the place that the page of the timeline ends before; nil: the newest.
    package init(_ frame: Frame, _ reading: ChainReading, before: TimelinePlace?) {
        self.frame = frame.of(reading.stamp)
        self.reading = reading
        entries = reading.page(.newest, after: before, limit: TimelineRows.entryCount)
            .map { .chain($0, reading) }
    }

    package var page: Page {
        let id = reading.chain.originalTransactionId
        let kind = reading.life.isOneTime ? "Purchase" : "Subscription"
        return Page(
            "Subscription \(id)", frame, heading: "\(kind) <bdi class=\"id\">\(id)</bdi>", content)
    }

    private var content: HTML {
        let gaps = reading.answer.notices.filter { $0.code.isGap }.map { ($0, reading) }
        let transaction: HTML =
            reading.transaction?.text.map { "<p class=\"banner info\">\(frame.timed($0))</p>" }
            ?? ""
        return """
            \(acts)
            \(frame.knowledgeForm)
            \(transaction)\(verdict)
            \(StateBand(frame: frame, reading: reading).svg)
            \(fields)
            \(frame.proof("subscriptions", reading.chain.originalTransactionId.rawValue))
            \(notices)
            <h2>Timeline</h2>
            \(TimelineRows(frame: frame, isMerged: false).table(entries, gaps: gaps))
            \(entries.pager(frame))
            """
    }

    private var acts: HTML {
        frame.acts(
            [("link", "Link to a customer"), ("note", "Note")], "subscriptions",
            reading.chain.originalTransactionId.rawValue)
    }

    private var verdict: HTML {
        let answer = reading.answer
        let until: HTML = answer.until.map { " until \(frame.time($0))" } ?? ""
        let reason = AccessReason(reading)
        let leeway = reading.leeway
        let evidence = Set(answer.evidence + (leeway?.evidence ?? [])).sorted()
        let access: HTML =
            leeway.map { "access by leeway until \(frame.time($0.until))" }
            ?? (answer.isEntitled ? "has access" : "no access")
        return """
            <section class="verdict \(reading.givesAccess ? "yes" : "no")" \
            data-reason="\(reason.rawValue)">
            <p>\(reading.givesAccess ? "✓" : "✗") <b>\(answer.state.text)</b> \
            (\(access)) since \(frame.time(answer.since))\(until): \
            \(reason.cause(of: reading)).</p>
            <p class="rests">Rests on \(frame.events(evidence)), \(answer.trust.sentence).</p>
            </section>
            """
    }

    // MARK: Fields

    private var fields: HTML {
        let answer = reading.answer
        return .fields([
            ("App", "\(reading.chain.bundleId)"), ("Product", answer.productId.map { "\($0)" }),
            ("Next product", answer.nextProductId.map { "\($0)" }),
            ("Transaction", "<bdi class=\"id\">\(answer.transactionId)</bdi>"),
            ("Access until", answer.accessUntil.map { frame.time($0) }),
            ("Apple's status", answer.state.appleStatus.map { "\($0)" }),
            ("Phase", reading.life.isOneTime ? nil : "\(answer.phase.rawValue)"),
            ("Ownership", "\(answer.ownership.rawValue)"),
            ("Price", answer.price.map { "\($0.text)" }),
            ("Storefront", answer.storefront.map { "\($0)" }),
            ("Account token", token), ("Customers", customers), ("Auto-renew", renewal),
            ("Group", answer.subscriptionGroupIdentifier.map { "\($0)" }),
            ("Type", answer.type.map { "\($0.rawValue)" }),
            ("Price increase", answer.priceIncrease.map { "\($0.rawValue)" }),
            ("Offer", answer.offer.map { "\($0.text)" }),
            (
                "Off since",
                answer.cancellation.map { "\(frame.time($0.at)) (\($0.reason.rawValue))" }
            ),
            ("Revoked", answer.revocation.map { text($0) }),
            ("Commitment", answer.commitment.map { text($0) }),
            ("Next product of commitment", answer.commitment?.nextProductId.map { "\($0)" }),
            ("Rules", "reducer version \(Lifecycle.reducerVersion)"),
            ("Catalogue", "<span class=\"id\">\(reading.stamp.catalogueHash.hexadecimal)</span>"),
        ])
    }

    private func text(_ revocation: ChainAnswer.Revocation) -> HTML {
        let type = revocation.type ?? AccessReason(reading).rawValue
        // Of thousandths.
        let percentage = revocation.percentage.map { ", \(Double($0) / 1_000) %" } ?? ""
        let reason = revocation.reason.map { ", reason \($0)" } ?? ""
        return "\(frame.time(revocation.date)) (\(type)\(percentage)\(reason))"
    }

    private func text(_ commitment: ChainAnswer.Commitment) -> HTML {
        let end: HTML = commitment.expiresDate.map { " until \(frame.time($0))" } ?? ""
        let price = commitment.price.map { ", \($0.text) in all" } ?? ""
        return "\(commitment.periodText)\(price)\(end)\(commitment.endText)"
    }

    private var token: HTML? {
        reading.answer.appAccountToken.map { token in
            let trust = reading.answer.appAccountTokenTrust ?? .signed
            return "<bdi class=\"id\">\(token)</bdi> (\(trust.sentence))"
        }
    }

    private var customers: HTML? {
        let holders = reading.life.holders.holders(at: reading.moment.at)
        guard !holders.isEmpty else { return nil }
        return holders.map { frame.customer($0.customer) }.joined(", ")
    }

    private var renewal: HTML? {
        guard !reading.life.isOneTime else { return nil }
        return switch reading.answer.willRenew {
        case nil: "unknown"
        case true?: "on"
        case false?: "off"
        }
    }

    // MARK: Notices

    /// Notices that the page lists.
    static let noticeCount = 16

    private var notices: HTML {
        let notices = reading.answer.notices
        guard !notices.isEmpty else { return "" }
        let items = notices.prefix(SubscriptionPage.noticeCount).map { notice -> HTML in
            """
            <li data-row><span class="tag warn">\(notice.code.rawValue)</span> since \
            \(frame.time(notice.from))\(frame.timed(notice.subject)): \(frame.timed(notice.message)) \
            \(frame.events(notice.evidence))</li>

            """
        }
        let rest = notices.count - items.count
        let more: HTML =
            rest > 0 ? "<li>and \(rest) more, which <code>subledger show</code> lists</li>" : ""
        let id = reading.chain.originalTransactionId
        let app = reading.chain.bundleId
        let ask: HTML =
            frame.viewer.operates && !frame.state.isHistoric && frame.appsWithKey.contains(app)
            ? "<a href=\"\(frame.url("subscriptions", id.rawValue, "look-up"))\">ask now</a>, or "
            : ""
        return """
            <h2 id="notices">Notices</h2>
            <ul>
            \(items)\(more)</ul>
            <p class="muted">To look it up at Apple: \(ask)<code>subledger reconcile</code> for every gap, \
            or <code>subledger backfill</code> with the id <code>\(id)</code> of \(app).</p>
            """
    }
}
