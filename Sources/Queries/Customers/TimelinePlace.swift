public import AppStore

/// A place in the timeline of a chain or customer: an entry's time, and its index within that time.
public struct TimelinePlace: Hashable, Comparable, Sendable {
    public let at: Timestamp
    /// The index among the entries of that time, from 0.
    public let ordinal: Int

    public init(at: Timestamp, ordinal: Int) {
        self.at = at
        self.ordinal = ordinal
    }

    /// The places of entries at the given ascending times.
    package static func places(of times: [Timestamp]) -> [TimelinePlace] {
        var places: [TimelinePlace] = []
        places.reserveCapacity(times.count)
        for at in times {
            let ordinal = places.last.map { $0.at == at ? $0.ordinal + 1 : 0 } ?? 0
            places.append(TimelinePlace(at: at, ordinal: ordinal))
        }
        return places
    }

    public static func < (left: TimelinePlace, right: TimelinePlace) -> Bool {
        (left.at, left.ordinal) < (right.at, right.ordinal)
    }

    /// The `next` of a page; consists of characters that clients never escape in a query.
    public var cursor: String { "\(at.milliseconds)~\(ordinal)" }

    /// Nil for a text that is not a cursor of a timeline.
    public init?(cursor: String) {
        let parts = cursor.split(separator: "~", omittingEmptySubsequences: false)
        guard parts.count == 2, let at = Int64(plain: parts[0]),
            let ordinal = Int64(plain: parts[1]), ordinal >= 0
        else { return nil }
        self.init(at: Timestamp(milliseconds: at), ordinal: Int(ordinal))
    }
}
