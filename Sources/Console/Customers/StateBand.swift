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
    private static let height: Int64 = 34
    /// Least width of a stretch, so that every one can be seen.
    private static let leastWidth: Int64 = 2
    /// Maximum stretches of all bands of a page together.
    static let stretchCount = 20

    var svg: HTML {
        let intervals = reading.intervals.suffix(count)
        guard let first = intervals.first else { return "" }
        let end = max(reading.moment.at, first.from.advanced(byMilliseconds: 1))
        let span = end.milliseconds(since: first.from)
        func x(_ moment: Timestamp) -> Int64 {
            let part = Double(moment.milliseconds(since: first.from)) / Double(span)
            return Int64((part * Double(StateBand.width)).rounded())
        }
        func bar(_ style: String, _ from: Timestamp, _ to: Timestamp?, _ title: String) -> HTML {
            let (left, right) = (x(max(from, first.from)), x(min(to ?? end, end)))
            let width = max(right - left, StateBand.leastWidth)
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
        let gaps = reading.answer.notices.suffix(count).compactMap { notice -> HTML? in
            guard let stretch = notice.period, stretch.transactionId == nil,
                let from = stretch.from
            else { return nil }
            return bar(
                "gap", from, stretch.to, "nothing is known, \(stretchText(from, stretch.to))")
        }
        let states = intervals.map(\.state.text)
        let summary = Array(Set(states)).sorted().joined(separator: ", ")
        return """
            <svg class="band" viewBox="0 0 \(StateBand.width) \(StateBand.height)" role="img" \
            aria-label="States over time: \(summary)">
            \(bars)\(gaps)
            <text x="0" y="32">\(frame.text(first.from).prefix(10))</text>
            <text x="\(StateBand.width)" y="32" text-anchor="end">\(frame.text(end).prefix(10))</text>
            </svg>
            """
    }
}
