import AppStore
import Signing

/// Sends one request to one environment, with retries.
extension AppStoreServerAPIClient {
    /// The next step after an attempt.
    private enum Verdict {
        case done(TransportAnswer)
        /// Retry if attempts and budget allow, else fail with this failure.
        case again(APIFailure, notBefore: Timestamp?)
        case failed(APIFailure)
        /// The token was rejected.
        case refusedToken(TransportAnswer)
    }

    func exchange(
        _ request: APIRequest, _ environment: Environment
    ) async throws(APIFailure) -> TransportAnswer {
        var budget = RetryBudget(policy)
        var hasNewToken = false
        while true {
            try await pace.waitForPlace(request.endpoint, environment)
            let token = try token(request.endpoint)
            budget.beginAttempt()
            let outcome: Result<TransportAnswer, TransportFailure>
            do throws(TransportFailure) {
                outcome = .success(try await transport.send(outgoing(request, token, environment)))
            } catch {
                outcome = .failure(error)
            }
            switch verdict(outcome, request.endpoint, attempts: budget.attempts) {
            case .done(let answer): return answer
            case .failed(let failure): throw failure
            case .refusedToken(let answer):
                guard !hasNewToken else { throw .unauthorized(request.endpoint) }
                hasNewToken = true
                tokens.refused(
                    token, appleSays: answer.date.flatMap { HTTPDate.read($0) }, at: clock.now)
            case .again(let failure, let date):
                try await pace.waitBeforeRetry(failure, until: date, environment, &budget)
            }
        }
    }

    private func token(_ endpoint: Endpoint) throws(APIFailure) -> String {
        do throws(MintingError) { return try tokens.token(at: clock.now) } catch {
            throw .invalid(endpoint, "Signing with the private key failed (\(error)).")
        }
    }

    private func outgoing(
        _ request: APIRequest, _ token: String, _ environment: Environment
    ) -> TransportRequest {
        var headers: [TransportRequest.Header] = [
            .init("authorization", "Bearer \(token)"), .init("accept", "application/json"),
            .init("user-agent", "subledger"),
        ]
        if request.body != nil { headers.append(.init("content-type", "application/json")) }
        return TransportRequest(
            method: request.method.rawValue,
            url: hosts.base(environment) + request.target, headers: headers, body: request.body)
    }

    /// Uses Apple's clock if rejected tokens revealed it.
    private var pace: RequestPace {
        RequestPace(
            limiter: limiter, clock: clock, policy: policy, chance: chance,
            correctionMilliseconds: tokens.correctionMilliseconds)
    }

    // MARK: Judging

    private func verdict(
        _ outcome: Result<TransportAnswer, TransportFailure>, _ endpoint: Endpoint, attempts: Int
    ) -> Verdict {
        switch outcome {
        case .failure(let failure): return verdict(failure, endpoint, attempts: attempts)
        case .success(let answer): return verdict(answer, endpoint, attempts: attempts)
        }
    }

    private func verdict(
        _ failure: TransportFailure, _ endpoint: Endpoint, attempts: Int
    ) -> Verdict {
        let reported = APIFailure.transport(endpoint, failure, attempts: attempts)
        switch failure {
        case .notConnected: return .again(reported, notBefore: nil)
        case .cancelled: return .failed(reported)
        case .tooLarge: return .failed(endpoint.isRepeatable ? reported : .unknownOutcome(endpoint))
        case .disconnected, .timedOut:
            return endpoint.isRepeatable
                ? .again(reported, notBefore: nil) : .failed(.unknownOutcome(endpoint))
        }
    }

    private func verdict(
        _ answer: TransportAnswer, _ endpoint: Endpoint, attempts: Int
    ) -> Verdict {
        switch answer.status {
        case 200...299: return .done(answer)
        case 401: return .refusedToken(answer)
        case 429:
            let date = RetryAfter.read(answer.retryAfter, now: pace.appleNow)
            return .again(.rateLimited(endpoint, until: date), notBefore: date)
        default: break
        }
        let code = (try? ErrorPayload.decode(answer.body))?.errorCode
        if let code, answer.status < 500 {
            var refusal = APIFailure.refused(endpoint, status: answer.status, code: code)
            refusal.answeredAt = answer.date.flatMap { HTTPDate.read($0) }
            // A rejection that Apple calls retryable has changed nothing.
            return refusal.isRetryable ? .again(refusal, notBefore: nil) : .failed(refusal)
        }
        guard answer.status >= 500 else {
            return .failed(.unexpectedStatus(endpoint, status: answer.status))
        }
        guard endpoint.isRepeatable else { return .failed(.unknownOutcome(endpoint)) }
        var failure = APIFailure.unavailable(endpoint, status: answer.status, attempts: attempts)
        failure.appleCode = code
        return .again(failure, notBefore: nil)
    }
}
