import AppStore

/// The events that a recovery appended: all after a position except those that came another way.
/// Only the exceptions are stored, as ranges: there are few, or an import beside the recovery
/// appends many in a row.
struct RecoveredEvents: Sendable, Equatable {
    private let start: Int64
    /// In order, not touching each other.
    private var others: [ClosedRange<Int64>] = []

    /// After the end of the log before the recovery.
    init(after start: Int64) { self.start = start }

    /// Excludes an event that came another way.
    ///
    /// - Parameter position: after all that were excluded before.
    mutating func leaveOut(_ position: Int64) {
        guard let last = others.last, last.upperBound + 1 == position else {
            return others.append(position...position)
        }
        others[others.count - 1] = last.lowerBound...position
    }

    func contains(_ position: Int64) -> Bool {
        let next = others.indices.partitioningIndex { others[$0].upperBound >= position }
        let isOther = next < others.count && others[next].contains(position)
        return position > start && !isOther
    }
}
