/// The events that a recovery appended: all after a position except those that came another way.
/// Only the exceptions are stored, since they are few: an outage is over when it is recovered from.
struct RecoveredEvents: Sendable, Equatable {
    private let start: Int64
    private var others: Set<Int64> = []

    /// After the end of the log before the recovery.
    init(after start: Int64) { self.start = start }

    /// Excludes an event that came another way.
    mutating func leaveOut(_ position: Int64) { others.insert(position) }

    func contains(_ position: Int64) -> Bool { position > start && !others.contains(position) }
}
