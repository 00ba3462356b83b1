public import AppStore
import Signing

/// A client of the App Store Server API for one app: tokens, rates, retries and choice of
/// environment. Every endpoint is a method (`AppStoreServerAPIClient+….swift`).
///
/// Safe to share between tasks: rates apply to all of them together.
public final class AppStoreServerAPIClient: Sendable {
    public let bundleId: BundleId
    /// The app's key, which also signs what the app passes to StoreKit.
    public let credentials: APICredentials
    let hosts: APIHosts
    let tokens: TokenSource
    let sender: RequestSender

    /// `chance` returns a random number in the range, for jitter.
    public init(
        credentials: APICredentials, hosts: APIHosts = .apple, transport: any APITransport,
        clock: any RequestClock = SystemRequestClock(), policy: RetryPolicy = RetryPolicy(),
        chance: @escaping @Sendable (ClosedRange<Int64>) -> Int64 = { Int64.random(in: $0) }
    ) {
        bundleId = credentials.bundleId
        self.credentials = credentials
        self.hosts = hosts
        let tokens = TokenSource(credentials)
        self.tokens = tokens
        // Apple's clock, if rejected tokens revealed it.
        sender = RequestSender(
            transport: transport, clock: clock, policy: policy, chance: chance,
            correctionMilliseconds: { tokens.correctionMilliseconds })
    }

    // MARK: Requests

    /// Sends a request, decodes the response body and requires its essential members.
    func response<Response: WireObject>(
        _ request: APIRequest, _ choice: EnvironmentChoice
    ) async throws(APIFailure) -> APIResponse<Response> {
        let (answer, environment) = try await send(request, choice)
        let endpoint = request.endpoint
        let response: Response
        do throws(JSONError) { response = try Response.decode(answer.body) } catch {
            throw .unusable(endpoint, error.description).from(environment)
        }
        if let missing = (response as? any RequiredMembers)?.missingMember {
            throw .unusable(endpoint, "it has no \(missing)").from(environment)
        }
        return APIResponse(
            endpoint: endpoint, value: response, body: answer.body, environment: environment,
            date: answer.appleDate)
    }

    /// Sends a request whose response is only a status.
    func emit(
        _ request: APIRequest, _ choice: EnvironmentChoice
    ) async throws(APIFailure) -> APIResponse<Accepted> {
        let (answer, environment) = try await send(request, choice)
        return APIResponse(
            endpoint: request.endpoint, value: Accepted(), body: answer.body,
            environment: environment, date: answer.appleDate)
    }

    /// Rejects a response that names another app.
    func requireOurs<Response>(
        _ answer: APIResponse<Response>, _ bundleId: BundleId?
    ) throws(APIFailure) {
        guard let bundleId, bundleId != self.bundleId else { return }
        throw .anotherApp(answer.endpoint).from(answer.environment)
    }

    private func send(
        _ request: APIRequest, _ choice: EnvironmentChoice
    ) async throws(APIFailure) -> (TransportResponse, Environment) {
        switch choice {
        case .only(let environment):
            guard environment == .production || environment == .sandbox else {
                throw .invalid(
                    request.endpoint, "Apple has only Production and Sandbox.")
            }
            return (try await exchange(request, environment), environment)
        case .productionFirst:
            do throws(APIFailure) {
                return (try await exchange(request, .production), .production)
            } catch {
                guard request.endpoint.isAboutOneId, error.mayBeOfTheOtherEnvironment else {
                    throw error
                }
                return (try await sendToSandbox(request, instead: error), .sandbox)
            }
        }
    }

    private func sendToSandbox(
        _ request: APIRequest, instead first: APIFailure
    ) async throws(APIFailure) -> TransportResponse {
        do throws(APIFailure) {
            return try await exchange(request, .sandbox)
        } catch {
            // Unknown to both, or no access to Sandbox: report Production's rejection. Where only
            // Production rejects the token, Sandbox decides.
            guard error.mayBeOfTheOtherEnvironment,
                error.code == .unauthorized || first.code != .unauthorized
            else { throw error }
            throw first
        }
    }
}

extension APIFailure {
    /// Not found, or a rejected token, which is Production's response for an app that was never
    /// released.
    var mayBeOfTheOtherEnvironment: Bool { code == .unauthorized || isUnknownId }

    /// Whether Apple does not know the id: 4040010, 4040005 where it wants an original one.
    package var isUnknownId: Bool {
        switch appleCode?.value {
        case .transactionIdNotFound, .originalTransactionIdNotFound: true
        default: false
        }
    }
}
