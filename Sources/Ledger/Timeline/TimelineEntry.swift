import AppStore

/// One line of a chain's timeline: a state transition or a fact, with the event that proves it
/// (`Lifecycle.md` §3).
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
        transitions.map { TimelineEntry($0) }.merged(with: facts.map { TimelineEntry($0) }) {
            $0.at
        }
    }

    private init(_ transition: Transition) {
        self.init(
            kind: .state(transition), at: transition.at, cause: transition.cause,
            events: transition.events)
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
