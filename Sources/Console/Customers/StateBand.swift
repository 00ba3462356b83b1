internal import AppStore
internal import Ledger
internal import Queries

/// The states of one chain along time, as a picture; its text is in the title of each stretch and
/// in the timeline below.
struct StateBand {
    let frame: Frame
    let reading: ChainReading
    /// Stretches drawn; a longer history shows its newest.
    var count = StateBand.stretchCount

    private static let width: Int64 = 1_000
    private static let height: Int64 = 48
    /// Least width of a stretch, so that every one can be seen.
    private static let leastWidth: Int64 = 2
    private static let leastGapWidth: Int64 = 6
    /// Of the words below a stretch, which stand there if they fit.
    private static let characterWidth: Int64 = 8
    /// Maximum stretches of all bands of a page together.
    static let stretchCount = 20

    var svg: HTML {
        let intervals = reading.intervals.suffix(count)
        guard let start = intervals.first?.from else { return "" }
        let end = max(reading.moment.at, start.advanced(byMilliseconds: 1))
        let span = end.milliseconds(since: start)
        func x(_ moment: Timestamp) -> Int64 {
            let part = Double(moment.milliseconds(since: start)) / Double(span)
            return Int64((min(max(part, 0), 1) * Double(StateBand.width)).rounded())
        }
        func bar(_ style: String, _ from: Timestamp, _ to: Timestamp?, _ title: String) -> HTML {
            let least = style == "gap" ? StateBand.leastGapWidth : StateBand.leastWidth
            let width = max(x(to ?? end) - x(from), least)
            let left = min(x(from), StateBand.width - width)
            return """
                <rect class="\(style)" x="\(left)" y="2" width="\(width)" height="18">\
                <title>\(title)</title></rect>
                """
        }
        let bars = intervals.map { interval in
            bar(
                "s-\(interval.state.rawValue)", interval.from, interval.to,
                "\(interval.state.text), \(stretchText(interval.from, interval.to))")
        }
        func hasRoom(_ interval: Interval) -> Bool {
            let room = x(interval.to ?? end) - x(interval.from)
            return room >= Int64(interval.state.text.count) * StateBand.characterWidth
        }
        let words = intervals.filter(hasRoom).map { interval -> HTML in
            "<text x=\"\(x(interval.from))\" y=\"32\">\(interval.state.text)</text>"
        }
        // Those before the stretches that are drawn are not drawn either.
        let isCut = intervals.count < reading.intervals.count
        let gaps = missing.filter { !isCut || ($0.to ?? end) >= start }.suffix(count).map { gap in
            bar("gap", gap.from ?? start, gap.to, gap.text)
        }
        let states = intervals.map(\.state.text) + (gaps.isEmpty ? [] : ["gap"])
        let summary = Array(Set(states)).sorted().joined(separator: ", ")
        return """
            <div class="scroll" tabindex="0" role="region" \
            aria-label="States over time of \(reading.chain.originalTransactionId)">
            <svg class="band" viewBox="0 0 \(StateBand.width) \(StateBand.height)" role="img" \
            aria-label="States over time: \(summary)">
            \(bars)\(gaps)\(words)
            <text x="0" y="46">\(date(start))</text>
            <text x="\(StateBand.width)" y="46" text-anchor="end">\(date(end))</text>
            </svg></div>\(listing(intervals.filter { !hasRoom($0) }))
            """
    }

    /// The day of a moment; with its zone where the browser writes other times in its own.
    private func date(_ moment: Timestamp) -> String {
        "\(frame.text(moment).prefix(10))\(frame.state.zone == .local ? " UTC" : "")"
    }

    /// Stretches that are listed.
    private static let listedCount = 12

    /// The last stretches that are too narrow for a word below them: their colour alone does not
    /// say what they are.
    private func listing(_ narrow: [Interval]) -> HTML {
        guard !narrow.isEmpty else { return "" }
        let listed = narrow.suffix(StateBand.listedCount)
        let items = listed.map { "\($0.state.text) from \(frame.time($0.from))" as HTML }
        let which = listed.count < narrow.count ? "Last narrow stretches" : "Narrow stretches"
        return """

            <p class="muted">\(which), from the left: \(items.joined(", ")).</p>
            """
    }

    /// What is missing: the time of which nothing is known, or the moment at which something should
    /// have arrived; nil for an unknown start or no end.
    private var missing: [(from: Timestamp?, to: Timestamp?, text: String)] {
        reading.answer.notices.filter { $0.code.isGap }.map {
            notice -> (from: Timestamp?, to: Timestamp?, text: String) in
            if let stretch = notice.period, stretch.transactionId == nil {
                let text = "nothing is known, \(stretchText(stretch.from, stretch.to))"
                return (stretch.from, stretch.to, text)
            }
            let end = notice.code == .renewalOverdue ? notice.to : notice.from
            return (notice.from, end, "\(notice.caveat) \(notice.from.rfc3339)")
        }
    }
}
