import AppStore
import Foundation
import Hummingbird
import HummingbirdTesting
import Intake
import LedgerTestSupport
import Logging
import Projection
import Signing
import Simulator
import TestSupport

@testable import Service
@testable import Web

/// A data directory served for one test.
struct ServedPlace: Sendable {
    let directory: TemporaryDirectory
    var configuration: ServiceConfiguration
    var environments = LedgerHost.usualEnvironments
    var roots = TestAuthority.roots
    /// Reaches OCSP responders, where the configuration has revocation checked.
    var responders: (any RevocationTransport)?
    var metrics = ServiceMetrics()
    var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    var streams = StreamRules()
    var answers = ResponseMemoryBudget()
    var limits = ConnectionLimits()
    var authenticationPace = LogRateLimiter()
    /// The clock used here: inside the third period of `MadePurchase`.
    var now = ServedPlace.now
    /// Another clock, moved by the test.
    var clock: (@Sendable () -> Timestamp)?
    /// How long queries wait for the projector: longer than it takes on a busy machine. Tests of
    /// answers that are behind set `briefWait`.
    var waitLimit: Duration = .seconds(120)
    static let briefWait: Duration = .milliseconds(50)
    /// How long the answer to a request for a retention message may take, likewise.
    var retentionLimit: Duration = .seconds(120)
    /// A monotonic clock; nil disables the comparison.
    var steady: (@Sendable () -> Int64)?
    static let now = Timestamp(milliseconds: 1_774_000_000_000)

    init(apps: [String] = [MadePurchase.app]) throws {
        directory = try TemporaryDirectory()
        configuration = ServiceConfiguration(
            Configuration(
                dataDirectory: directory.file("data"),
                apps: apps.map {
                    Configuration.App(bundleId: BundleId($0), appAppleId: MadePurchase.appAppleId)
                }))
        configuration.server.port = 0
    }

    /// Serves Production alone, whose files are half of the usual ones.
    static func single() throws -> ServedPlace {
        var place = try ServedPlace()
        place.environments = [.production]
        return place
    }

    func directory(of environment: AppStore.Environment) -> String {
        "\(configuration.dataDirectory)/\(EnvironmentLedger.directoryName(environment))"
    }

    /// Serves while `body` runs, and stops as SIGTERM would.
    func serve<Value: Sendable>(
        _ setup: TestingSetup = .router,
        _ body: @escaping @Sendable (WebClient, LedgerHost) async throws -> Value
    ) async throws -> Value {
        try await open { service, host in
            try await service.application().test(setup) { client in
                try await ServedPlace.awaitState(host)
                return try await body(WebClient(client: client), host)
            }
        }
    }

    /// As `serve`, for clients of the test's own; passes the port.
    func listen<Value: Sendable>(
        _ body: @escaping @Sendable (Int, WebService) async throws -> Value
    ) async throws -> Value {
        try await open { service, host in
            try await Serving.whileRunning({ service.listener(onRunning: $0) }) { port in
                try await ServedPlace.awaitState(host)
                return try await body(port, service)
            }
        }
    }

    private static func awaitState(_ host: LedgerHost) async throws {
        for ledger in host.ledgers {
            _ = try await ledger.snapshot(atLeast: 0, limit: .seconds(120))
        }
    }

    private func open<Value: Sendable>(
        _ body: (WebService, LedgerHost) async throws -> Value
    ) async throws -> Value {
        try await Gate.services.pass {
            let (now, moved) = (now, clock)
            let logger = logger
            let host = try await LedgerHost.open(
                configuration, environments: environments, roots: roots, responders: responders,
                observer: ServiceObserver(logger: logger, metrics: metrics), steady: steady,
                waitLimit: waitLimit, retentionLimit: retentionLimit
            ) { moved?() ?? now }
            async let running: Void = host.run()
            var service = try WebService(
                host: host, metrics: metrics, logger: logger, limits: limits)
            service.streams = streams
            service.answers = answers
            service.authenticationPace = authenticationPace
            let result: Result<Value, any Error>
            do { result = .success(try await body(service, host)) } catch {
                result = .failure(error)
            }
            host.stop()
            await running
            return try result.get()
        }
    }
}

extension ServiceConfiguration.Server.Token {
    /// A token whose secret is its name, unless another is given.
    init(_ name: String, secret: String? = nil, _ scopes: [Scope]) {
        self.init(name: name, digest: SHA256.hash(Array((secret ?? name).utf8)), scopes: scopes)
    }
}
