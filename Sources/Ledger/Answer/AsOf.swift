public import AppStore

/// The events that an answer may use (`Lifecycle.md` §1): all, those received by a time, or those
/// up to a position.
public enum AsOf: Sendable, Hashable {
    case everything
    case knownAt(Timestamp)
    case knownPosition(Int64)

    public func admits(_ fact: Fact) -> Bool {
        admits(position: fact.position, receivedAt: fact.receivedAt)
    }

    package func admits(position: Int64, receivedAt: Timestamp) -> Bool {
        switch self {
        case .everything: true
        case .knownAt(let time): receivedAt <= time
        case .knownPosition(let last): position <= last
        }
    }

    /// The position at which an answer under this limit is computed.
    package func position(head: Int64) -> Int64 {
        guard case .knownPosition(let position) = self else { return head }
        return min(max(position, 0), head)
    }

    package var knownAt: Timestamp? {
        guard case .knownAt(let time) = self else { return nil }
        return time
    }

    /// The two sides of a comparison, the earlier first: one limit compared with everything, or two
    /// of one kind. Nil for any other number.
    public static func compared(
        _ limits: [AsOf]
    ) -> (before: AsOf, after: AsOf)? {
        guard (1...2).contains(limits.count) else { return nil }
        guard limits.count == 2 else { return (limits[0], .everything) }
        let isOrdered =
            switch (limits[0], limits[1]) {
            case (.knownAt(let one), .knownAt(let two)): one <= two
            case (.knownPosition(let one), .knownPosition(let two)): one <= two
            default: true
            }
        return isOrdered ? (limits[0], limits[1]) : (limits[1], limits[0])
    }
}
