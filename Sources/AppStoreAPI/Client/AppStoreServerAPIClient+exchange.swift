import AppStore
import Signing

/// Sends one request to one environment, with retries.
extension AppStoreServerAPIClient {
    func exchange(
        _ request: APIRequest, _ environment: Environment
    ) async throws(APIFailure) -> TransportResponse {
        var hasNewToken = false
        return try await sender.send(request.endpoint, environment) {
            (attempts) async throws(APIFailure) -> Verdict<TransportResponse> in
            let token = try token(request.endpoint)
            let answer: TransportResponse
            do throws(TransportFailure) {
                answer = try await transport.send(outgoing(request, token, environment))
            } catch {
                return sender.verdict(error, request.endpoint, attempts: attempts)
            }
            switch answer.status {
            case 200...299: return .done(answer)
            case 401:
                guard !hasNewToken else { return .failed(.unauthorized(request.endpoint)) }
                hasNewToken = true
                tokens.refused(
                    token, appleDate: answer.appleDate,
                    at: sender.clock.now)
                return .atOnce
            default:
                let code = (try? ErrorPayload.decode(answer.body))?.errorCode
                return sender.verdict(answer, code, request.endpoint, attempts: attempts)
            }
        }
    }

    private func token(_ endpoint: Endpoint) throws(APIFailure) -> String {
        do throws(SigningError) { return try tokens.token(at: sender.clock.now) } catch {
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
        if request.body != nil { headers.append(.init("content-type", request.contentType)) }
        return TransportRequest(
            method: request.method.rawValue,
            url: hosts.base(environment) + request.target, headers: headers, body: request.body)
    }
}
