internal import AppStore
internal import Ledger
internal import Queries

/// The rows of a timeline, newest first: entries, and the gaps between them.
struct TimelineRows {
    let frame: Frame
    /// Whether a row names its chain.
    let isMerged: Bool
    /// Entries of a page.
    static let entryCount = 40
    /// Gaps on one page of a merged timeline; each purchase has a page with all of its own.
    private static let mergedGapCount = 8

    /// One row with its place in time.
    private struct Row {
        let at: Timestamp
        /// Among rows of one time, from above.
        var order = 0
        let html: HTML
    }

    /// The table.
    ///
    /// - Parameters:
    ///   - page: newest first.
    ///   - gaps: notices of missing events; each is a row, or counted, on exactly one page.
    func table(
        _ page: TimelinePage<CustomerReading.Entry>, gaps: [(Notice, ChainReading)]
    ) -> HTML {
        var rows = page.entries.map { Row(at: $0.at, html: row($0)) }
        // A gap is above the entries of the time at which it began, or below those it lies before.
        let here = gaps.filter { page.includes($0.0.from) }.sorted { $0.0.from > $1.0.from }
        let shown = isMerged ? here.prefix(TimelineRows.mergedGapCount) : here[...]
        rows += shown.map {
            Row(at: $0.0.from, order: $0.0.code.isGapBefore ? 1 : -1, html: row($0.0, $0.1))
        }
        let sorted = rows.enumerated().sorted { left, right in
            let (one, other) = (left.element, right.element)
            if one.at != other.at { return one.at > other.at }
            return (one.order, left.offset) < (other.order, right.offset)
        }.map(\.element.html)
        let rest = here.count - shown.count
        let more: HTML =
            rest > 0
            ? "<p class=\"muted\">Further gaps, on the pages of their purchases: \(rest).</p>" : ""
        return table.html(sorted, empty: "Nothing has happened yet.") + more
    }

    private var table: RowTable {
        RowTable(
            label: "Timeline",
            heads: ["When (\(frame.zoneName))", "What", "Because of", "Arrived"]
                + (isMerged ? ["Chain"] : []))
    }

    private func row(_ entry: CustomerReading.Entry) -> HTML {
        switch entry {
        case .chain(let entry, let reading):
            let isState = if case .state = entry.kind { true } else { false }
            let text = frame.timed(text(entry, reading))
            let what: HTML = isState ? "<b>\(text)</b>" : text
            return table.row([
                frame.time(entry.at), what, cause(entry, reading),
                arrival(reading.facts[entry.cause]), frame.chain(reading.chain),
            ])
        case .command(let fact):
            let command = fact.command
            let word = command.map { CustomerReading.entryName($0) } ?? ""
            return table.row([
                frame.time(fact.receivedAt), "\(TimelineRows.words(word))",
                "\(frame.event(fact.position)) \(command.map { frame.timed($0.text) })", "", "–",
            ])
        }
    }

    /// A gap: what is missing, since when, and how to look it up.
    private func row(_ notice: Notice, _ reading: ChainReading) -> HTML {
        let id = reading.chain.originalTransactionId
        let address =
            frame.url(
                "subscriptions", id.rawValue, query: [("bundleId", frame.app(reading.chain))])
            + "#notices"
        return table.row(
            [
                frame.time(notice.from), "<b>Gap:</b> \(notice.caveat)",
                frame.events(notice.evidence), "<a href=\"\(address)\">why, and look up</a>",
                frame.chain(reading.chain),
            ], style: "gap")
    }

    private func text(_ entry: TimelineEntry, _ reading: ChainReading) -> String {
        switch entry.kind {
        case .state(let transition): transition.text(reading.facts)
        case .fact(let fact): TimelineRows.sentence(fact)
        }
    }

    /// The fact's words, with its name in plain words first.
    private static func sentence(_ fact: TimelineEvent) -> String {
        let name = fact.name.rawValue
        return words(name) + fact.text.dropFirst(name.count)
    }

    /// `autoRenewDisabled` as "auto renew disabled".
    static func words(_ name: String) -> String {
        name.map { $0.isUppercase ? " \($0.lowercased())" : "\($0)" }.joined()
    }

    private func cause(_ entry: TimelineEntry, _ reading: ChainReading) -> HTML {
        let others = entry.events.filter { $0 != entry.cause }
        let rest: HTML = others.isEmpty ? "" : " and \(frame.events(others))"
        if let command = reading.facts[entry.cause]?.command {
            return "\(frame.event(entry.cause)) \(frame.timed(command.text))\(rest)"
        }
        return "\(frame.event(entry.cause)) \(reading.kind(entry.cause))\(rest)"
    }

    /// How long after its signature an event arrived.
    private func arrival(_ fact: Fact?) -> HTML {
        guard let fact, fact.command == nil else { return "" }
        guard let lateness = fact.lateness else { return "<span class=\"muted\">imported</span>" }
        let isLate = lateness > NoticeLimits.lateDeliveryMilliseconds
        let text = "+\(Duration.milliseconds(max(0, lateness)).text)"
        return isLate ? "<span class=\"tag warn\">\(text)</span>" : "\(text)"
    }
}

extension TimelinePage {
    /// Links to the newest and the next older page.
    func pager(_ frame: Frame) -> HTML {
        guard after != nil || next != nil else { return "" }
        let newest: HTML =
            after == nil ? "" : "<a href=\"\(frame.own(frame.state))\">Newest</a>"
        let older: HTML =
            next.map { next -> HTML in
                let address = frame.own(frame.state, [("before", next.cursor)])
                return "<a rel=\"next\" href=\"\(address)\">Older</a>"
            } ?? ""
        return "<nav class=\"pager\" aria-label=\"Pages\">\(newest) \(older)</nav>"
    }
}
