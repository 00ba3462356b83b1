import AppStore

/// A state, a fact or a movement of a chain that one event caused.
public struct DecidedChange: Hashable, Sendable {
    /// What began or happened.
    public enum Kind: Hashable, Sendable {
        case state(ChainState)
        case fact(TimelineEventName)
        /// A movement that monthly churn over all chains counts in this column (`Metrics.md`).
        case counted(RollForwardColumn)
    }

    public let kind: Kind
    /// The beginning of the state, or the time of the fact or the movement.
    public let at: Timestamp

    public init(_ kind: Kind, at: Timestamp) {
        self.kind = kind
        self.at = at
    }
}
