import AppStore
import Signing

/// Sends one request to one environment, with retries.
extension AppStoreServerAPIClient {
    func exchange(
        _ request: APIRequest, _ environment: Environment
    ) async throws(APIFailure) -> TransportResponse {
        var (token, hasNewToken) = ("", false)
        return try await sender.send(request.endpoint, environment) { () throws(APIFailure) in
            token = try self.token(request.endpoint)
            return outgoing(request, token, environment)
        } judge: { answer, attempts in
            switch answer.status {
            case 200...299: return .done(answer)
            case 401:
                guard !hasNewToken else { return .failed(.unauthorized(request.endpoint)) }
                hasNewToken = true
                tokens.refused(token, appleDate: answer.appleDate, at: sender.clock.now)
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
            method: request.endpoint.method.rawValue,
            url: hosts.base(environment) + request.target, headers: headers, body: request.body)
    }
}
