public import AppStore
import Signing

/// Asks the App Store Server API for one app: tokens, rates, retries and the choice of environment.
/// Every endpoint is a method of its own (`AppStoreServerAPIClient+….swift`).
///
/// Shared freely between tasks: rates hold for all of them together.
public final class AppStoreServerAPIClient: Sendable {
    /// The app that is asked about.
    public let bundleId: BundleId
    let hosts: APIHosts
    let transport: any APITransport
    let clock: any RequestClock
    let policy: RetryPolicy
    /// A number of the range, for waits.
    let chance: @Sendable (ClosedRange<Int64>) -> Int64
    let tokens: TokenSource
    let limiter: RateLimiter

    /// - Parameters:
    ///   - credentials: the app's key.
    ///   - hosts: Apple's, or what takes their place.
    ///   - transport: carries requests.
    ///   - clock: time of day, elapsed time, and waiting.
    ///   - policy: how often and how long is tried.
    ///   - requestsPerSecond: of each kind, where others need some of what Apple allows; nil: all.
    ///   - chance: a number of the range it is given: how long to wait.
    public init(
        credentials: APICredentials, hosts: APIHosts = .apple, transport: any APITransport,
        clock: any RequestClock = SystemRequestClock(), policy: RetryPolicy = RetryPolicy(),
        requestsPerSecond: Int? = nil,
        chance: @escaping @Sendable (ClosedRange<Int64>) -> Int64 = { Int64.random(in: $0) }
    ) {
        bundleId = credentials.bundleId
        self.hosts = hosts
        self.transport = transport
        self.clock = clock
        self.policy = policy
        self.chance = chance
        limiter = RateLimiter(ceiling: requestsPerSecond)
        tokens = TokenSource(credentials)
    }

    // MARK: Asking

    /// Asks, and reads the answer's body.
    func ask<Response: WireObject>(
        _ request: APIRequest, _ choice: EnvironmentChoice
    ) async throws(APIFailure) -> APIAnswer<Response> {
        let (answer, environment) = try await send(request, choice)
        let response: Response
        do throws(APIFailure) { response = try read(answer.body, request.endpoint) } catch {
            var failure = error
            failure.environment = environment
            throw failure
        }
        return APIAnswer(
            value: response, body: answer.body, environment: environment,
            date: answer.date.flatMap { HTTPDate.read($0) })
    }

    /// An answer with every member that it needs to say anything.
    private func read<Response: WireObject>(
        _ body: [UInt8], _ endpoint: Endpoint
    ) throws(APIFailure) -> Response {
        let response: Response
        do throws(JSONError) { response = try Response.decode(body) } catch {
            throw .unreadable(endpoint, error.description)
        }
        if let missing = (response as? any RequiredMembers)?.missingMember {
            throw .unreadable(endpoint, "it has no \(missing)")
        }
        return response
    }

    /// Asks where only the status says something.
    func tell(
        _ request: APIRequest, _ choice: EnvironmentChoice
    ) async throws(APIFailure) -> APIAnswer<Accepted> {
        let (answer, environment) = try await send(request, choice)
        return APIAnswer(
            value: Accepted(status: answer.status), body: answer.body, environment: environment,
            date: answer.date.flatMap { HTTPDate.read($0) })
    }

    /// What names an app must name ours.
    func requireOurs<Response>(
        _ answer: APIAnswer<Response>, _ bundleId: BundleId?, _ endpoint: Endpoint
    ) throws(APIFailure) {
        guard let bundleId, bundleId != self.bundleId else { return }
        var failure = APIFailure.anotherApp(endpoint)
        failure.environment = answer.environment
        throw failure
    }

    private func send(
        _ request: APIRequest, _ choice: EnvironmentChoice
    ) async throws(APIFailure) -> (TransportAnswer, Environment) {
        switch choice {
        case .only(let environment):
            guard environment == .production || environment == .sandbox else {
                throw .invalid(
                    request.endpoint, "Only Production and Sandbox are Apple's to answer for.")
            }
            return (try await send(request, to: environment), environment)
        case .productionFirst:
            do throws(APIFailure) {
                return (try await send(request, to: .production), .production)
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
    ) async throws(APIFailure) -> TransportAnswer {
        do throws(APIFailure) {
            return try await send(request, to: .sandbox)
        } catch {
            // Unknown in both, or no access to either: Production's refusal says it all.
            throw error.mayBeOfTheOtherEnvironment ? first : error
        }
    }

    private func send(
        _ request: APIRequest, to environment: Environment
    ) async throws(APIFailure) -> TransportAnswer {
        do throws(APIFailure) {
            return try await exchange(request, environment)
        } catch {
            var failure = error
            failure.environment = environment
            throw failure
        }
    }
}

extension APIFailure {
    /// Not found, or a refused token, which is how Production answers for an app that was never
    /// released (`appstore.md`, trap 3).
    var mayBeOfTheOtherEnvironment: Bool {
        code == .unauthorized || appleCode == Raw(.transactionIdNotFound)
    }
}
