import AppStore

/// Decides when a request and its retries start: under Apple's rates, within the waiting budget of
/// one request.
struct RequestPace: Sendable {
    let limiter: RateLimiter
    let clock: any RequestClock
    let policy: RetryPolicy
    /// Returns a random number in the range, for jitter.
    let chance: @Sendable (ClosedRange<Int64>) -> Int64
    /// Apple's clock minus the local clock, if known.
    var correctionMilliseconds: Int64 = 0

    /// Current time by Apple's clock, if known.
    var appleNow: Timestamp { clock.now.advanced(byMilliseconds: correctionMilliseconds) }

    func waitForPlace(
        _ endpoint: Endpoint, _ environment: Environment
    ) async throws(APIFailure) {
        let elapsed = clock.elapsedMilliseconds
        switch limiter.reserve(
            endpoint, environment, at: elapsed, longest: policy.budgetMilliseconds)
        {
        case .held(let until):
            // Apple stated the end of the hold: fail with it instead of waiting.
            throw .rateLimited(
                endpoint, until: appleNow.advanced(byMilliseconds: until - elapsed))
        case .after(let wait):
            guard wait > 0 else { return }
            try await sleep(wait, endpoint)
        }
    }

    /// Throws `failure` if attempts or budget are exhausted.
    func waitBeforeRetry(
        _ failure: APIFailure, until date: Timestamp?, _ environment: Environment,
        _ budget: inout RetryBudget
    ) async throws(APIFailure) {
        let least = date?.milliseconds(since: appleNow)
        if let least, least > 0 {
            // Hold all requests of this kind, which share the allowance.
            let held = min(least, APILimits.longestHoldMilliseconds)
            limiter.hold(failure.endpoint, environment, until: clock.elapsedMilliseconds + held)
        }
        guard let wait = budget.wait(atLeast: least, chance) else { throw failure }
        try await sleep(wait, failure.endpoint)
    }

    private func sleep(_ milliseconds: Int64, _ endpoint: Endpoint) async throws(APIFailure) {
        do throws(CancellationError) { try await clock.sleep(milliseconds: milliseconds) } catch {
            throw .cancelled(endpoint)
        }
    }
}
