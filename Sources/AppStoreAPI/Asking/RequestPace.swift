import AppStore

/// When a request begins, and begins again: under Apple's rates, within the waiting that one request
/// is worth.
struct RequestPace: Sendable {
    let limiter: RateLimiter
    let clock: any RequestClock
    let policy: RetryPolicy
    /// A number of the range, for waits.
    let chance: @Sendable (ClosedRange<Int64>) -> Int64
    /// What has to be added to this machine's clock to have Apple's, as far as it is known.
    var correctionMilliseconds: Int64 = 0

    /// Now, by Apple's clock as far as it is known.
    var appleNow: Timestamp { clock.now.advanced(byMilliseconds: correctionMilliseconds) }

    func waitForPlace(
        _ endpoint: Endpoint, _ environment: Environment
    ) async throws(APIFailure) {
        let elapsed = clock.elapsedMilliseconds
        switch limiter.reserve(
            endpoint, environment, at: elapsed, longest: policy.budgetMilliseconds)
        {
        case .held(let until):
            // Apple said when; whoever asks before is told so, and waits for nothing.
            throw .rateLimited(
                endpoint, until: appleNow.advanced(byMilliseconds: until - elapsed))
        case .after(let wait):
            guard wait > 0 else { return }
            try await sleep(wait, endpoint)
        }
    }

    /// Throws `failure` where nothing is left of attempts and budget.
    func waitBeforeRetry(
        _ failure: APIFailure, until date: Timestamp?, _ environment: Environment,
        _ budget: inout RetryBudget
    ) async throws(APIFailure) {
        let least = date?.milliseconds(since: appleNow)
        if let least, least > 0 {
            // Others ask under the same allowance: they wait, too.
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
