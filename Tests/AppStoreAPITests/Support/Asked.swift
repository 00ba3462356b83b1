import AppStore
import AppStoreAPI
import LedgerTestSupport
import Simulator

/// A client whose network, clock and randomness are controlled by the test.
struct Asked: Sendable {
    static let app = BundleId("com.example.app")
    static let key = TestAuthority.key

    let transport: ScriptedTransport
    /// 2026-06-01, UTC.
    static let start = Timestamp(milliseconds: 1_780_272_000_000)
    let clock = ManualClock(Asked.start, sleeping: .advances)
    let client: AppStoreServerAPIClient

    /// - Parameter chance: the number drawn from a range; the largest by default.
    init(
        _ steps: [ScriptedTransport.Step], policy: RetryPolicy = RetryPolicy(),
        hosts: APIHosts = .apple,
        chance: @escaping @Sendable (ClosedRange<Int64>) -> Int64 = { $0.upperBound }
    ) throws {
        transport = ScriptedTransport(steps)
        client = AppStoreServerAPIClient(
            credentials: try Asked.credentials(), hosts: hosts, transport: transport,
            clock: clock, policy: policy, chance: chance)
    }

    static func credentials() throws -> APICredentials { try key.credentials(app) }

    /// The failure that `body` throws, or nil.
    static func failure(_ body: () async throws -> Void) async -> APIFailure? {
        do {
            try await body()
            return nil
        } catch { return error as? APIFailure }
    }
}
