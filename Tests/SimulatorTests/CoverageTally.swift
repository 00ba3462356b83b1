import Simulator

/// Counts what a set of lives exercises, so that a test can require full coverage.
struct CoverageTally {
    /// Number of occurrences of each event.
    private(set) var events: [LifeEvent: Int] = [:]
    /// Number of recorded losses of each kind.
    private(set) var losses: [SimulatedLoss.Kind: Int] = [:]
    /// Number of true intervals with each state.
    private(set) var states: [TrueState: Int] = [:]
    /// Number of true intervals with each reason.
    private(set) var reasons: [TrueReason: Int] = [:]

    /// Adds a life.
    mutating func add(_ life: SubscriberLife) {
        events.merge(life.events, uniquingKeysWith: +)
        for loss in life.losses { losses[loss.kind, default: 0] += 1 }
        for interval in life.truth {
            states[interval.state, default: 0] += 1
            if let reason = interval.reason { reasons[reason, default: 0] += 1 }
        }
    }

    /// Names of what no life has exercised yet, in order of declaration.
    var missing: [String] {
        LifeEvent.allCases.filter { events[$0] == nil }.map(\.rawValue)
            + SimulatedLoss.Kind.allCases.filter { losses[$0] == nil }.map { "loss.\($0.rawValue)" }
            + TrueState.allCases.filter { states[$0] == nil }.map { "state.\($0.rawValue)" }
            + TrueReason.allCases.filter { reasons[$0] == nil }.map { "reason.\($0.rawValue)" }
    }
}
