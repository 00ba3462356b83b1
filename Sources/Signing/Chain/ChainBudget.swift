internal import Synchronization

/// How many unknown certificate chains have their signatures looked at: each costs about a
/// millisecond before it proves anything, and any client can send one (`design.md` §6). What is over
/// the budget is asked to come again. Not counted are chains that were verified before, and those
/// whose names or markers do not fit, which are only parsed.
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

    /// Takes a share, where there is a budget. Throws `tooManyUnknownChains`.
    static func require(
        _ budget: ChainBudget?, part: EvidencePart = .outer
    ) throws(VerificationError) {
        guard budget?.take() ?? true else {
            throw VerificationError(
                .tooManyUnknownChains, part: part,
                reason: "Too many chains that were not seen before are being sent; try again.")
        }
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
