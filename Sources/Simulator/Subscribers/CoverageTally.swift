/// Counts what a set of lives has exercised, so that a test can insist that nothing was left out.
public struct CoverageTally: Sendable {
    /// How often each event happened.
    public private(set) var events: [LifeEvent: Int] = [:]
    /// How many losses of each kind were told.
    public private(set) var losses: [SimulatedLoss.Kind: Int] = [:]
    /// How many true intervals had each state.
    public private(set) var states: [TrueState: Int] = [:]
    /// How many true intervals had each reason.
    public private(set) var reasons: [TrueReason: Int] = [:]

    /// Nothing counted yet.
    public init() {}

    /// Counts one more life.
    public mutating func add(_ life: SubscriberLife) {
        events.merge(life.events, uniquingKeysWith: +)
        for loss in life.losses { losses[loss.kind, default: 0] += 1 }
        for interval in life.truth {
            states[interval.state, default: 0] += 1
            if let reason = interval.reason { reasons[reason, default: 0] += 1 }
        }
    }

    /// What no life has exercised yet, by name, in order of declaration.
    public var missing: [String] {
        LifeEvent.allCases.filter { events[$0] == nil }.map(\.rawValue)
            + SimulatedLoss.Kind.allCases.filter { losses[$0] == nil }.map { "loss.\($0.rawValue)" }
            + TrueState.allCases.filter { states[$0] == nil }.map { "state.\($0.rawValue)" }
            + TrueReason.allCases.filter { reasons[$0] == nil }.map { "reason.\($0.rawValue)" }
    }
}
