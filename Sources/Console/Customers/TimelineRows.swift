internal import AppStore
package import Ledger
package import Queries

/// The rows of a timeline, newest first: entries, and the gaps between them.
struct TimelineRows {
    let frame: Frame
    /// Whether a row names its chain.
    let isMerged: Bool

    /// One row with its place in time.
    private struct Row {
        let at: Timestamp
        let html: HTML
    }

    /// The table.
    ///
    /// - Parameters:
    ///   - slice: the page, newest first.
    ///   - gaps: notices of missing events; each is a row of exactly one page.
    func table(_ slice: TimelineSlice, gaps: [(Notice, ChainReading)]) -> HTML {
        let entries = slice.entries
        let oldest = slice.next == nil ? nil : entries.last?.at
        let shown = gaps.filter { notice, _ in
            (slice.before.map { notice.from <= $0.at } ?? true)
                && (oldest.map { notice.from > $0 } ?? true)
        }
        var rows = entries.map { Row(at: $0.at, html: row($0)) }
        rows += shown.map { Row(at: $0.0.from, html: row($0.0, $0.1)) }
        // A gap stands above what happened when it began.
        let sorted = rows.enumerated().sorted { left, right in
            if left.element.at != right.element.at { return left.element.at > right.element.at }
            return left.offset < right.offset
        }.map(\.element.html)
        guard !sorted.isEmpty else { return "<p class=\"muted\">Nothing has happened yet.</p>" }
        let chain: HTML = isMerged ? "<th scope=\"col\">Chain</th>" : ""
        return """
            <div class="scroll" role="region" aria-label="Timeline">
            <table class="rows stack"><thead><tr><th scope="col">When (\(frame.zoneName))</th>\
            <th scope="col">What</th><th scope="col">Because of</th><th scope="col">Arrived</th>\
            \(chain)</tr></thead><tbody>
            \(sorted)</tbody></table></div>
            """
    }

    private func row(_ entry: CustomerReading.Entry) -> HTML {
        switch entry {
        case .chain(let entry, let reading):
            let isState = if case .state = entry.kind { true } else { false }
            let what: HTML = isState ? "<b>\(text(entry, reading))</b>" : "\(text(entry, reading))"
            return row(
                entry.at, what, cause(entry, reading), arrival(reading.facts[entry.cause]),
                frame.chain(reading.chain))
        case .command(let fact):
            let command = fact.command
            let word = command.map { CustomerReading.word($0) } ?? ""
            return row(
                fact.receivedAt, "\(TimelineRows.words(word))",
                "\(frame.event(fact.position)) \(command?.text ?? "")", "", "–")
        }
    }

    private func row(
        _ at: Timestamp, _ what: HTML, _ because: HTML, _ arrived: HTML, _ chain: HTML
    ) -> HTML {
        let last: HTML = isMerged ? "<td data-label=\"Chain\">\(chain)</td>" : ""
        return """
            <tr data-row><td data-label="When">\(frame.time(at))</td><td data-label="What">\(what)\
            </td><td data-label="Because of">\(because)</td><td data-label="Arrived">\(arrived)\
            </td>\(last)</tr>

            """
    }

    /// A gap: what is missing, since when, and how to look it up.
    private func row(_ notice: Notice, _ reading: ChainReading) -> HTML {
        let id = reading.chain.originalTransactionId
        let address = frame.url("subscriptions", id.rawValue, query: [("gap", "1")]) + "#notices"
        let last: HTML =
            isMerged ? "<td data-label=\"Chain\">\(frame.chain(reading.chain))</td>" : ""
        return """
            <tr class="gap" data-row><td data-label="Since">\(frame.time(notice.from))</td>\
            <td data-label="Gap"><b>Gap:</b> \(notice.code.caveat)</td>\
            <td data-label="Known by">\(frame.events(notice.evidence))</td>\
            <td data-label="Look up"><a href="\(address)">why, and look up</a></td>\(last)</tr>

            """
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
            return "\(frame.event(entry.cause)) \(command.text)\(rest)"
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
