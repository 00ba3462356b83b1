internal import Queries

/// One page of a timeline, newest first.
struct TimelineSlice {
    let page: TimelinePage<CustomerReading.Entry>

    /// Entries of a page.
    static let count = 40

    /// - Parameter before: the place that the page ends before; nil: the newest.
    init(_ reading: CustomerReading, before: TimelinePlace?, limit: Int = count) {
        page = reading.page(.newest, after: before, limit: limit)
    }

    /// The same of one chain.
    init(_ reading: ChainReading, before: TimelinePlace?, limit: Int = count) {
        page = reading.page(.newest, after: before, limit: limit).map { .chain($0, reading) }
    }

    /// Links to the newest and the next older page.
    func pager(_ frame: Frame) -> HTML {
        guard page.after != nil || page.next != nil else { return "" }
        let newest: HTML =
            page.after == nil ? "" : "<a href=\"\(frame.own(frame.state))\">Newest</a>"
        let older: HTML =
            page.next.map { next -> HTML in
                let address = frame.own(frame.state, [("before", next.cursor)])
                return "<a rel=\"next\" href=\"\(address)\">Older</a>"
            } ?? ""
        return "<nav class=\"pager\" aria-label=\"Pages\">\(newest) \(older)</nav>"
    }
}
