internal import AppStore
internal import Console
internal import Ledger
internal import LedgerStore
internal import Queries
internal import Reports
internal import Service

/// The short text of an answer, by lines: its content, the positions that prove it, and the address
/// of its page in the console.
struct MCPText {
    /// The prefix of addresses; empty: they are paths of the service.
    let origin: String
    let state: ViewState

    func page(_ path: [String], _ query: [(String, String?)] = []) -> String {
        "Console: " + origin + state.url(path, query)
    }

    /// `events 3, 5 and 2 more`.
    private func cited(_ positions: [Int64]) -> String {
        let shown = positions.prefix(MCPLimits.listedCount).map(String.init)
        let rest = positions.count - shown.count
        return (positions.count == 1 ? "event " : "events ") + shown.joined(separator: ", ")
            + (rest > 0 ? " and \(rest) more" : "")
    }

    private func until(_ moment: Timestamp?) -> String {
        moment.map { " until \($0.rfc3339)" } ?? ""
    }

    private func line(_ stamp: AnswerStamp) -> String {
        let known = stamp.knownAt.map { ", as known at \($0.rfc3339)" } ?? ""
        return "As of \(stamp.at.rfc3339)\(known), log position \(stamp.position);"
            + " \(stamp.completeText)."
    }

    /// The open notices of a chain, at most `listedCount` lines.
    private func notices(_ reading: ChainReading) -> [String] {
        reading.answer.notices.prefix(MCPLimits.listedCount).map { notice in
            "Caution, \(reading.chain.originalTransactionId): \(reading.text(notice))."
        }
    }

    // MARK: Search

    func text(_ answer: SearchAnswer) -> [String] {
        answer.lines { match in
            let address = state.url(
                of: match, in: answer, app: match.chain?.bundleId.rawValue)
            return ". Console: \(origin)\(address)"
        }
    }

    // MARK: Access

    func access(_ answer: EntitlementsAnswer, _ reading: CustomerReading) -> [String] {
        let verdicts = answer.entitlements.verdicts
        var lines = ["Customer \(answer.customer): \(answer.entitlements.standing.rawValue)."]
        if verdicts.isEmpty {
            lines.append(
                reading.chains.isEmpty
                    ? "There is no purchase and no grant by then."
                    : "No purchase gives an entitlement (consumables never do).")
        }
        lines += reading.explained(answer.entitlements).prefix(MCPLimits.listedCount)
            .map { line($0, reading) }
        let rest = verdicts.count - MCPLimits.listedCount
        if rest > 0 {
            let more = rest.named("more entitlement is", "more entitlements are")
            lines.append("\(more) in the structured answer.")
        }
        lines += reading.chains.flatMap { notices($0) }.prefix(MCPLimits.listedCount)
        return finished(lines, answer.stamp, ["customers", answer.customer.rawValue])
    }

    private func line(
        _ explained: CustomerReading.ExplainedVerdict, _ reading: CustomerReading
    ) -> String {
        let (_, verdict, reason, chain) = explained
        let cause = reading.cause(of: verdict, reason, chain)
        let head =
            verdict.active
            ? "Access to \(verdict.entitlement)\(until(verdict.until))"
            : "No access to \(verdict.entitlement) since \(verdict.ended(reason).rfc3339)"
        let subject = verdict.originalTransactionId.map { ", subscription \($0)" } ?? ""
        return "\(head): \(cause) (\(reason.rawValue)\(subject)). Decided by"
            + " \(cited(verdict.evidence)), \(verdict.trust.sentence)."
    }

    func access(_ reading: ChainReading) -> [String] {
        let (answer, chain) = (reading.answer, reading.chain)
        let what = reading.life.isOneTime ? "Purchase" : "Subscription"
        let reason = AccessReason(reading)
        let stretch = "since \(answer.since.rfc3339)\(until(answer.until))"
        var lines = [
            "\(what) \(chain.originalTransactionId) of \(chain.bundleId):",
            "\(answer.state.text) (\(reading.accessText)) \(stretch):"
                + " \(reason.cause(of: reading)) (\(reason.rawValue)).",
        ]
        if let transaction = reading.transaction?.text { lines.append("\(transaction).") }
        var parts = [answer.productId?.rawValue ?? "unknown product"]
        if let price = answer.price { parts.append(price.text) }
        if !reading.life.isOneTime {
            let renews = answer.willRenew.map { $0 ? "on" : "off" } ?? "unknown"
            parts += [answer.phase.rawValue, "auto-renew \(renews)"]
        }
        if let end = answer.accessUntil { parts.append("access until \(end.rfc3339)") }
        lines.append(parts.joined(separator: ", ") + ".")
        let holders = reading.life.holders.holders(at: reading.moment.at)
        if !holders.isEmpty {
            let names = holders.prefix(MCPLimits.listedCount).map { "\($0.customer)" }
            lines.append("Belongs to customer \(names.joined(separator: ", ")).")
        }
        lines.append("Decided by \(cited(answer.evidence)), \(answer.trust.sentence).")
        lines += notices(reading)
        return finished(lines, reading.stamp, path(of: chain), app: chain.bundleId)
    }

    // MARK: Timelines

    func timeline(_ reading: CustomerReading, _ page: TimelinePage<CustomerReading.Entry>)
        -> [String]
    {
        var lines = ["Customer \(reading.customer), \(page.order.rawValue) first:"]
        lines += page.entries.map { entry -> String in
            switch entry {
            case .chain(let entry, let reading):
                "\(line(entry, reading)), subscription \(reading.chain.originalTransactionId)"
            case .command(let fact):
                "\(fact.receivedAt.rfc3339) \(fact.command?.text ?? ""), event \(fact.position)"
            }
        }
        lines += rest(page.entries.isEmpty, page.next)
        return finished(lines, reading.stamp, ["customers", reading.customer.rawValue])
    }

    func timeline(_ reading: ChainReading, _ page: TimelinePage<TimelineEntry>) -> [String] {
        let chain = reading.chain
        var lines = [
            "\(chain.originalTransactionId) of \(chain.bundleId), \(page.order.rawValue) first:"
        ]
        lines += page.entries.map { line($0, reading) }
        lines += rest(page.entries.isEmpty, page.next)
        if page.after == nil { lines += notices(reading) }
        return finished(lines, reading.stamp, path(of: chain), app: chain.bundleId)
    }

    private func line(_ entry: TimelineEntry, _ reading: ChainReading) -> String {
        let what =
            switch entry.kind {
            case .state(let transition): transition.text(reading.facts)
            case .fact(let fact): fact.text
            }
        let cause = reading.facts[entry.cause]?.command?.text ?? reading.kind(entry.cause)
        return "\(entry.at.rfc3339) \(what), \(cited(entry.events)) (\(cause))"
    }

    private func rest(_ isEmpty: Bool, _ next: TimelinePlace?) -> [String] {
        if let next { return ["There is more: repeat with after \(next.cursor)."] }
        return isEmpty ? ["Nothing."] : []
    }

    // MARK: Reports

    /// - Parameter page: its page; nil where the console has none.
    func text(_ report: Report, page: String?) -> [String] {
        let table = report.table(inUnits: true).map { row in
            row.map { $0.csvField(isRaw: true) }.joined(separator: ",")
        }
        var lines = report.stamp.lines + table
        if case .comparison(let comparison) = report.subject {
            lines += comparison.lines.flatMap { $0.split(separator: "\n").map(String.init) }
        }
        return lines + (page.map { [$0] } ?? [])
    }

    func text(_ cell: CellChains) -> [String] {
        var lines = cell.stamp.lines
        lines += cell.lines(listing: MCPLimits.listedCount) { chain in
            let path = ["subscriptions", chain.originalTransactionId.rawValue]
            return ". " + page(path, [("bundleId", chain.bundleId.rawValue)])
        }
        if let next = cell.next {
            lines.append("There is more: repeat with after \(next.cursor).")
        }
        return lines
    }

    func text(_ offers: RetentionOffers) -> [String] {
        let rows = offers.rows.map { row -> String in
            let results = RetentionResult.allCases.map { "\(row.count($0)) \($0.rawValue)" }
            let offer = row.promotionalOffer.map { ", promotional offer \($0)" } ?? ""
            return "Rule \(row.rule), message \(row.message)\(offer): \(row.shown) shown,"
                + " \(results.joined(separator: ", "))."
        }
        let reasons = RetentionOffers.reasons.map {
            "\(offers.unanswered[$0] ?? 0) \($0.rawValue)"
        }
        return ["Answered from \(offers.from.rfc3339) until before \(offers.to.rfc3339):"]
            + (rows.isEmpty ? ["No message was shown."] : rows) + [
                "Without a message: \(reasons.joined(separator: ", ")).",
                "As of log position \(offers.position).",
                page(
                    ["reports", MetricName.retentionName],
                    [("from", offers.from.rfc3339), ("to", offers.to.rfc3339)]),
            ]
    }

    // MARK: Operation

    /// - Parameter isServing: whether this process takes events in; a process that only reads does
    ///   not know whether another one does.
    func text(_ status: IntakeStatus, of bundleId: BundleId?, isServing: Bool) -> [String] {
        let problems = status.problems.joined(separator: ", ")
        let apps = status.apps.filter { bundleId == nil || $0.bundleId == bundleId }
        var lines: [String] = []
        if isServing {
            lines.append(status.isReady ? "Intake works." : "Intake does not work: \(problems).")
        } else {
            let log = status.isReady ? "can be written" : "cannot be written: \(problems)"
            let last = apps.compactMap(\.lastNotificationAt).max()?.rfc3339 ?? "unknown"
            lines.append(
                "This command takes nothing in; the log \(log). Last notification: \(last).")
        }
        lines.append(
            "Answers include position \(status.projectedPosition ?? 0) of \(status.head).")
        for app in apps {
            let last = app.lastNotificationAt?.rfc3339 ?? "unknown"
            lines.append(
                "\(app.bundleId): \(app.complete.text); last notification \(last);"
                    + " \(outages(app)).")
        }
        let kept = status.quarantine.filter { $0.itemCount > 0 }.map { total in
            "\(total.itemCount) \(total.standing.rawValue)"
        }
        // A database that was not reached yet.
        let none = status.isKnown ? "nothing" : "unknown"
        lines.append("In quarantine: \(kept.isEmpty ? none : kept.joined(separator: ", ")).")
        lines.append("As of \(status.at.rfc3339). \(page(["intake"]))")
        return lines
    }

    private func outages(_ app: IntakeStatus.App) -> String {
        guard let check = app.outages else { return "outages not checked yet, ask again" }
        let windows = check.windows.prefix(MCPLimits.listedCount).map { window -> String in
            let reasons = window.reasons.map(\.rawValue).joined(separator: ", ")
            return "\(window.from.rfc3339) to \(window.to.rfc3339) (\(reasons))"
        }
        return windows.isEmpty
            ? "no outage suspected" : "suspected outages: \(windows.joined(separator: ", "))"
    }

    // MARK: Evidence

    func text(_ detail: EventDetail) -> [String] {
        let (event, attributes) = (detail.event, detail.event.attributes)
        let type = [attributes.notificationType, attributes.subtype].compactMap { $0 }
            .joined(separator: "/")
        let name = type.isEmpty ? attributes.kind.rawValue : "\(type), \(attributes.kind.rawValue)"
        let dating = [.signed, .xcode].contains(attributes.trust) ? "signed" : "dated"
        let signed = attributes.signedAt.map { ", \(dating) \($0.rfc3339)" } ?? ""
        let received = event.isArrivalKnown ? "Received" : "Arrival unknown, read by an import"
        var lines = [
            "Event \(event.position): \(name) of \(attributes.bundleId).",
            "\(received) \(event.receivedAt.rfc3339)\(signed).",
            "It rests on \(attributes.vouching).",
        ]
        if let chain = attributes.chain { lines.append("Subscription \(chain).") }
        if let damage = detail.damage {
            lines.append("Its evidence cannot be read: \(damage.code.rawValue).")
        } else if detail.evidence == nil {
            lines.append("Its evidence was erased.")
        }
        lines.append(
            detail.proof.map { proof in
                "In the log: leaf \(proof.leafIndex) of \(proof.treeSize), root"
                    + " \(proof.root.hexadecimal)."
            } ?? "The log does not prove it; see `subledger audit verify`.")
        lines.append(page(["events", String(event.position)]))
        return lines
    }

    // MARK: Ends

    private func path(of chain: ChainId) -> [String] {
        ["subscriptions", chain.originalTransactionId.rawValue]
    }

    /// The lines with stamp and address.
    ///
    /// - Parameter app: of the answer; nil: that of the question.
    private func finished(
        _ lines: [String], _ stamp: AnswerStamp, _ path: [String], app: BundleId? = nil
    ) -> [String] {
        lines + [line(stamp), page(path, [("bundleId", (app ?? state.bundleId)?.rawValue)])]
    }
}
