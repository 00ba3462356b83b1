import AppStore
import AppStoreAPI
import Simulator

/// A client whose network, clock and chance a test holds.
struct Asked: Sendable {
    static let app = BundleId("com.example.app")
    static let key: ServedKey = {
        do { return try ServedKey() } catch { fatalError("OpenSSL makes no keys: \(error)") }
    }()

    let transport: ScriptedTransport
    let clock = ManualClock()
    let client: AppStoreServerAPIClient

    /// - Parameter chance: what to draw of a range; the most by default.
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

    static func credentials() throws -> APICredentials {
        try APICredentials(
            keyId: key.keyId, issuerId: key.issuerId, bundleId: app, pem: key.pem)
    }

    /// What `body` throws; nil when it does not.
    static func failure(_ body: () async throws -> Void) async -> APIFailure? {
        do {
            try await body()
            return nil
        } catch { return error as? APIFailure }
    }
}
