import AppStore

/// One line of a chain's timeline: a state transition or a fact, with the event that proves it
/// (`lifecycle.md` §3).
public struct TimelineEntry: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case state(Transition)
        case fact(TimelineEvent)
    }

    public var kind: Kind
    public var at: Timestamp
    /// Position of the event that proves it.
    public var cause: Int64
    /// Positions of all events that prove it, ascending.
    public var events: [Int64]

    /// Merges by (at, state before fact, signedDate, digest).
    static func merge(_ transitions: [Transition], _ facts: [TimelineEvent]) -> [TimelineEntry] {
        var entries: [TimelineEntry] = []
        entries.reserveCapacity(transitions.count + facts.count)
        var next = 0
        for transition in transitions {
            while next < facts.count, facts[next].at < transition.at {
                entries.append(TimelineEntry(facts[next]))
                next += 1
            }
            entries.append(
                TimelineEntry(
                    kind: .state(transition), at: transition.at, cause: transition.cause,
                    events: transition.events))
        }
        entries += facts[next...].map { TimelineEntry($0) }
        return entries
    }

    private init(_ fact: TimelineEvent) {
        self.init(kind: .fact(fact), at: fact.at, cause: fact.cause, events: fact.events)
    }

    private init(kind: Kind, at: Timestamp, cause: Int64, events: [Int64]) {
        self.kind = kind
        self.at = at
        self.cause = cause
        self.events = events
    }
}
