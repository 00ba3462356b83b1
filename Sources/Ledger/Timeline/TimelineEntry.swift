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

    /// Whether it states a decision about the chain's holders.
    package var isAboutHolders: Bool {
        guard case .fact(let event) = kind else { return false }
        return [.accountLinked, .accountUnlinked].contains(event.name)
    }

    /// Merges by (at, state before fact, signedDate, digest).
    static func merge(_ transitions: [Transition], _ facts: [TimelineEvent]) -> [TimelineEntry] {
        transitions.map {
            TimelineEntry(kind: .state($0), at: $0.at, cause: $0.cause, events: $0.events)
        }.merged(
            with: facts.map {
                TimelineEntry(kind: .fact($0), at: $0.at, cause: $0.cause, events: $0.events)
            }
        ) { $0.at }
    }
}
