internal import Synchronization

/// How many unknown certificate chains are looked at: each costs about a millisecond before it
/// proves anything, and anybody can send one (`design.md` §6). What is over the budget is asked to
/// come again; chains that were verified before are not counted.
public final class ChainBudget: Sendable {
    /// Chains looked at in one second, lasting.
    public static let perSecond = 50.0
    /// Chains looked at one after the other after a pause.
    public static let burst = 100.0

    private let state: Mutex<(tokens: Double, at: ContinuousClock.Instant)>

    /// A full budget.
    public init(now: ContinuousClock.Instant = .now) {
        state = Mutex((ChainBudget.burst, now))
    }

    /// Whether another unknown chain may be looked at now.
    public func take(now: ContinuousClock.Instant = .now) -> Bool {
        state.withLock { state in
            let elapsed = max(0, state.at.duration(to: now) / .seconds(1))
            state.tokens = min(
                ChainBudget.burst, state.tokens + elapsed * ChainBudget.perSecond)
            state.at = max(state.at, now)
            guard state.tokens >= 1 else { return false }
            state.tokens -= 1
            return true
        }
    }
}
