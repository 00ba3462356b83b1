import AppStore
import AppStoreAPI
import Foundation
import LedgerTestSupport
import Signing
import Simulator

/// The simulated API on a real port, and a client that uses it over a real socket.
struct Served: Sendable {
    static let books = RecoveryWorld.books
    /// The store's time: within Apple's window of the last notification.
    static let now = Timestamp(milliseconds: 1_780_272_000_000)

    var faults: [ServedFaultRule] = []
    var rateWindowMilliseconds: Int64? = 3_600_000
    var outages: [ClosedRange<Timestamp>] = []
    var policy = RetryPolicy(
        attempts: 4, firstWaitMilliseconds: 1, longestWaitMilliseconds: 1,
        budgetMilliseconds: 10_000)
    /// Longer than any response takes while other tests run, because an abandoned attempt counts as
    /// one more.
    var timeoutMilliseconds: Int64 = 300_000
    /// The client's clock for the time of day.
    var clientClock: (any RequestClock)?

    static var verifier: EvidenceVerifier {
        get throws { EvidenceVerifier(roots: TestAuthority.roots) }
    }

    /// Starts the server, runs the requests and stops it.
    func ask<Value: Sendable>(
        _ body: @escaping @Sendable (AppStoreServerAPIClient, SimulatedAPI) async throws -> Value
    ) async throws -> Value {
        var setup = SimulatedAPI.Setup(
            books: Served.books, key: Asked.key, authority: TestAuthority.shared,
            attempts: RecoveryWorld.attempts(outages), storeClock: { Served.now },
            clock: { SystemRequestClock().now })
        setup.faults = faults
        setup.rateWindowMilliseconds = rateWindowMilliseconds
        let api = SimulatedAPI(setup)
        let clock = clientClock ?? SystemRequestClock()
        return try await SimulatedServer.whileServing(api) { [self] port in
            let transport = HTTPTransport(timeoutMilliseconds: timeoutMilliseconds)
            let client = AppStoreServerAPIClient(
                credentials: try Asked.credentials(),
                hosts: APIHosts(baseUrl: "http://127.0.0.1:\(port)/"), transport: transport,
                clock: clock, policy: policy)
            let result: Result<Value, any Error>
            do { result = .success(try await body(client, api)) } catch {
                result = .failure(error)
            }
            await transport.close()
            return try result.get()
        }
    }

    /// A window that Apple still keeps.
    static var window: NotificationHistoryRequest {
        var request = NotificationHistoryRequest()
        request.startDate = now.advanced(byMilliseconds: -180 * 86_400_000)
        request.endDate = now
        return request
    }
}

/// A clock with a constant error.
struct WrongClock: RequestClock {
    let offsetMilliseconds: Int64
    private let right = SystemRequestClock()

    init(offsetMilliseconds: Int64) { self.offsetMilliseconds = offsetMilliseconds }

    var now: Timestamp { right.now.advanced(byMilliseconds: offsetMilliseconds) }
    var elapsedMilliseconds: Int64 { right.elapsedMilliseconds }

    func sleep(milliseconds: Int64) async throws(CancellationError) {
        try await right.sleep(milliseconds: milliseconds)
    }
}
