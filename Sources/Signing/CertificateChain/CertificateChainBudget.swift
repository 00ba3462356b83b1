internal import Synchronization

/// Rate limit on verifying the signatures of unknown certificate chains: each costs about a
/// millisecond before it proves anything, and any client can send one (`Service.md`, Limits).
/// Beyond the budget, clients must retry. Exempt are chains verified before, and those with wrong
/// names or markers, which are only parsed.
public final class CertificateChainBudget: Sendable {
    /// Sustained rate of chains per second.
    public static let perSecond = 50.0
    /// Burst after a pause.
    public static let burst = 100.0

    private let state: Mutex<(tokens: Double, at: ContinuousClock.Instant)>

    /// A full budget.
    public init(now: ContinuousClock.Instant = .now) {
        state = Mutex((CertificateChainBudget.burst, now))
    }

    /// Takes one unit, if there is a budget. Throws `tooManyUnknownChains`.
    static func require(
        _ budget: CertificateChainBudget?, part: EvidencePart = .outer
    ) throws(VerificationError) {
        guard budget?.take() ?? true else {
            throw VerificationError(
                .tooManyUnknownChains, part: part,
                reason: "Too many unknown certificate chains; try again later.")
        }
    }

    /// Takes one unit; returns whether another unknown chain may be verified now.
    public func take(now: ContinuousClock.Instant = .now) -> Bool {
        state.withLock { state in
            let elapsed = max(0, state.at.duration(to: now) / .seconds(1))
            state.tokens = min(
                CertificateChainBudget.burst,
                state.tokens + elapsed * CertificateChainBudget.perSecond)
            state.at = max(state.at, now)
            guard state.tokens >= 1 else { return false }
            state.tokens -= 1
            return true
        }
    }
}
