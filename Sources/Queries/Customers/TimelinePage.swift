package import AppStore

/// The direction of a timeline. Raw values are the contract's.
public enum TimelineOrder: String, Sendable, CaseIterable {
    case oldest
    case newest
}

/// A page of the timeline of a chain or customer, and the cursor of the next one.
public struct TimelinePage<Entry: Sendable>: Sendable {
    public let order: TimelineOrder
    /// The place of the last entry of the previous page; nil for the first page.
    public let after: TimelinePlace?
    /// In the requested order.
    public let entries: [Entry]
    /// The place of the last entry, to request what comes after it; nil on the last page.
    public let next: TimelinePlace?
}

extension TimelinePage {
    /// - Parameters:
    ///   - all: the whole timeline in order of time.
    ///   - after: the place of the last entry of the previous page; nil for the first page.
    ///   - limit: entries per page, at least one; nil for all of them.
    init(
        of all: [Entry], at time: (Entry) -> Timestamp, _ order: TimelineOrder,
        after: TimelinePlace?, limit: Int?
    ) {
        self.order = order
        self.after = after
        var rest = Array(zip(all, TimelinePlace.places(of: all.map(time))))
        if order == .newest { rest.reverse() }
        if let after { rest.removeAll { order == .oldest ? $0.1 <= after : $0.1 >= after } }
        let page = rest.prefix(max(1, limit ?? all.count))
        entries = page.map(\.0)
        next = page.count < rest.count ? page.last?.1 : nil
    }

    /// The page with other entries at the same places.
    package func map<Other: Sendable>(_ transform: (Entry) -> Other) -> TimelinePage<Other> {
        TimelinePage<Other>(
            order: order, after: after, entries: entries.map(transform), next: next)
    }

    /// Whether something that begins at a time belongs on this page. Everything belongs on exactly
    /// one: the one whose entries include that time; what begins outside all entries belongs on
    /// the first or the last page.
    package func includes(_ time: Timestamp) -> Bool {
        switch order {
        case .oldest:
            (after.map { $0.at < time } ?? true) && (next.map { time <= $0.at } ?? true)
        case .newest:
            (after.map { time < $0.at } ?? true) && (next.map { $0.at <= time } ?? true)
        }
    }
}
