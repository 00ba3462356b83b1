import AppStore

/// A change of state (`Lifecycle.md` §3): two adjacent intervals whose state differs, or the first.
public struct Transition: Hashable, Sendable {
    public var at: Timestamp
    /// Nil at the start of the history.
    public var from: ChainState?
    public var to: ChainState
    public var productId: ProductId?
    public var transactionId: TransactionId
    /// Why access ended; nil for transitions into an entitled state.
    public var reason: EndReason?
    /// Position of the event that proves it; for a transition by the clock, of the event that
    /// stated the date.
    public var cause: Int64
    /// Positions of all events that prove it, ascending, including `cause`: the date and the reason
    /// may be stated by others.
    public var events: [Int64]

    static func transitions(_ history: History) -> [Transition] {
        var transitions: [Transition] = []
        var previous: ChainState?
        for interval in history.intervals where interval.state != previous {
            transitions.append(
                Transition(
                    at: interval.from, from: previous, to: interval.state,
                    productId: interval.productId, transactionId: interval.transactionId,
                    reason: interval.reason, cause: history.facts[interval.cause].position,
                    events: interval.proof.positions(history.facts)))
            previous = interval.state
        }
        return transitions
    }
}
