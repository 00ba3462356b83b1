internal import Queries

/// One page of a timeline, newest first.
struct TimelineSlice {
    let entries: [CustomerReading.Entry]
    /// Where the page ends; nil: with the newest entry.
    let before: TimelinePlace?
    /// The cursor of the next, older page; nil at the end.
    let next: String?

    /// Entries of a page.
    static let count = 40

    /// - Parameter before: the place that the page ends before; nil: the newest.
    init(_ reading: CustomerReading, before: TimelinePlace?, limit: Int = count) {
        let page = reading.page(.newest, after: before, limit: limit)
        self.init(page.entries, before, page.next)
    }

    /// The same of one chain.
    init(_ reading: ChainReading, before: TimelinePlace?, limit: Int = count) {
        let page = reading.page(.newest, after: before, limit: limit)
        self.init(page.entries.map { .chain($0, reading) }, before, page.next)
    }

    private init(
        _ entries: [CustomerReading.Entry], _ before: TimelinePlace?, _ next: TimelinePlace?
    ) {
        self.entries = entries
        self.before = before
        self.next = next?.cursor
    }

    /// Links to the newest and the next older page.
    func pager(_ frame: Frame) -> HTML {
        guard before != nil || next != nil else { return "" }
        let newest: HTML =
            before == nil ? "" : "<a href=\"\(frame.own(frame.state))\">Newest</a>"
        let older: HTML =
            next.map {
                "<a rel=\"next\" href=\"\(frame.own(frame.state, [("before", $0)]))\">Older</a>"
            } ?? ""
        return "<nav class=\"pager\" aria-label=\"Pages\">\(newest) \(older)</nav>"
    }
}
