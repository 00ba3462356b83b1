import AppStore

/// The next step after an attempt.
enum Verdict<Answer: Sendable> {
    case done(Answer)
    /// Retry if attempts and budget allow, else fail with this failure.
    case again(APIFailure, notBefore: Timestamp? = nil)
    /// Retry without a wait.
    case atOnce
    case failed(APIFailure)
}

/// Sends a request and its retries: under Apple's rates, within the waiting budget of one request.
struct RequestSender: Sendable {
    let transport: any APITransport
    private let limiter = RateLimiter()
    let clock: any RequestClock
    let policy: RetryPolicy
    /// Returns a random number in the range, for jitter.
    let chance: @Sendable (ClosedRange<Int64>) -> Int64
    /// Apple's clock minus the local clock; 0 if unknown.
    var correctionMilliseconds: @Sendable () -> Int64 = { 0 }

    /// Sends the request, made anew for each attempt, until `judge` accepts a response, or there is
    /// a failure that is not retried. Attempts are numbered from 1.
    func send<Answer>(
        _ endpoint: Endpoint, _ environment: Environment,
        request: () throws(APIFailure) -> TransportRequest,
        judge: (TransportResponse, _ attempts: Int) -> Verdict<Answer>
    ) async throws(APIFailure) -> Answer {
        var budget = RetryBudget(policy)
        do throws(APIFailure) {
            while true {
                try await waitForPlace(endpoint, environment)
                // A change that is not sent has a known outcome.
                guard endpoint.isRepeatable || !Task.isCancelled else {
                    throw .cancelled(endpoint)
                }
                budget.beginAttempt()
                let outgoing = try request()
                let verdict: Verdict<Answer>
                do throws(TransportFailure) {
                    verdict = judge(try await transport.send(outgoing), budget.attempts)
                } catch {
                    verdict = self.verdict(error, endpoint, attempts: budget.attempts)
                }
                switch verdict {
                case .done(let answer): return answer
                case .failed(let failure): throw failure
                case .atOnce: continue
                case .again(let failure, let date):
                    try await waitBeforeRetry(failure, until: date, environment, &budget)
                }
            }
        } catch {
            throw error.from(environment)
        }
    }

    /// The step after an attempt without a response.
    private func verdict<Answer>(
        _ failure: TransportFailure, _ endpoint: Endpoint, attempts: Int
    ) -> Verdict<Answer> {
        let reported = APIFailure.transport(endpoint, failure, attempts: attempts)
        switch failure {
        case .notConnected, .connectTimedOut, .tlsFailed: return .again(reported)
        case .tooLarge, .cancelled:
            return .failed(endpoint.isRepeatable ? reported : .unknownOutcome(endpoint))
        case .disconnected, .timedOut:
            return endpoint.isRepeatable ? .again(reported) : .failed(.unknownOutcome(endpoint))
        }
    }

    /// The step after a response without success, with Apple's error number, if any.
    func verdict<Answer>(
        _ answer: TransportResponse, _ code: Raw<APIErrorCode>?, _ endpoint: Endpoint, attempts: Int
    ) -> Verdict<Answer> {
        if answer.status == 429 {
            let date = RetryAfter.read(answer.retryAfter, now: appleNow)
            return .again(.rateLimited(endpoint, until: date), notBefore: date)
        }
        if let code, answer.status < 500 {
            var refusal = APIFailure.refused(endpoint, status: answer.status, code: code)
            refusal.answeredAt = answer.appleDate
            // A rejection that Apple calls retryable has changed nothing.
            return refusal.isRetryable ? .again(refusal) : .failed(refusal)
        }
        guard answer.status >= 500 else {
            return .failed(.unexpectedStatus(endpoint, status: answer.status))
        }
        guard endpoint.isRepeatable else { return .failed(.unknownOutcome(endpoint)) }
        var failure = APIFailure.unavailable(endpoint, status: answer.status, attempts: attempts)
        // A 5xx is no rejection, whatever number its body holds.
        if let code, code.rawValue >= 5_000_000 { failure.appleCode = code }
        return .again(failure)
    }

    // MARK: Waiting

    /// Current time by Apple's clock, if known.
    private var appleNow: Timestamp { clock.now.advanced(byMilliseconds: correctionMilliseconds()) }

    private func waitForPlace(
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
    private func waitBeforeRetry(
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
