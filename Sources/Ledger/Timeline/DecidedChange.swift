import AppStore

/// A state or a fact of a chain, as one event decided it: that event is its cause.
public struct DecidedChange: Hashable, Sendable {
    /// What began or happened.
    public enum Kind: Hashable, Sendable {
        case state(ChainState)
        case fact(TimelineEventName)
    }

    public let kind: Kind
    /// The beginning of the state, or the time of the fact.
    public let at: Timestamp

    public init(_ kind: Kind, at: Timestamp) {
        self.kind = kind
        self.at = at
    }
}
