import AppStore
import Foundation
import Hummingbird
import Ledger
import Logging
import Queries
import Service
import Signing
import Web

/// An application with two routes of its own and a ledger beside them: Apple posts to
/// `/appstore/notifications`, tokens read `/v1/…`, and a route asks the ledger in this process.
///
/// The configuration names the data directory, the apps and at least one token; `runService()`
/// of the application serves until SIGTERM, and closes the ledger's files after the last response.
public func application(
    _ configuration: ServiceConfiguration, roots: TrustedRoots = .apple
) async throws -> some ApplicationProtocol {
    let logger = Logger(label: "com.example.app")
    let metrics = ServiceMetrics()
    let host = try await LedgerHost.open(
        configuration, roots: roots, observer: ServiceObserver(logger: logger, metrics: metrics)
    ) {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    }
    let ledger = try WebService(host: host, metrics: metrics, logger: logger)

    let router = Router()
    router.get("hello") { _, _ in "Hello" }
    // No token guards this route: compare the customer with the one who is signed in.
    router.get("access/:customer") { _, context -> ServedAnswer in
        guard let text = try context.parameters.require("customer").removingPercentEncoding
        else { throw HTTPError(.badRequest) }
        return try await host.entitlements(of: CustomerId(stated: text), QueryScope())
    }
    return Application(
        responder: try ledger.responder(beside: router.buildResponder()),
        server: ledger.connections,
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 8080)),
        services: [ledger.background], logger: logger)
}
