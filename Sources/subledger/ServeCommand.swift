import AppStore
import AppStoreAPI
import ArgumentParser
import Intake
import Logging
import Queries
import Service
import Web

struct ServeCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the HTTP service.",
        discussion: """
            Takes Apple's notifications and answers queries until SIGTERM, for production and \
            sandbox on one endpoint; for xcode or localTesting only when --environment names it.
            """)

    @Option(help: "The address to listen on (default: 127.0.0.1).")
    var host: String?

    @Option(help: "The port; 0 takes a free one (default: 8080).")
    var port: Int?

    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        var settings = settings
        _ = try settings.requiredApps()
        try apply(to: &settings.configuration.server)
        let served = settings.servedEnvironments
        let endpoints = try WebhookEndpoint.endpoints(of: settings.configuration).filter {
            served.contains($0.environment)
        }
        let log = ServiceLog(settings.configuration.server.log) { Terminal.now }
        for secret in settings.configuration.secretPaths where secret.isOpenToOthers {
            log.logger.warning("\(secret.warning)", metadata: ["code": "secretOpenToOthers"])
        }
        for warning in settings.configuration.originWarnings {
            log.logger.warning("\(warning)", metadata: ["code": "sharedOrigin"])
        }
        for warning in settings.configuration.idleWebhookWarnings(serving: served) {
            log.logger.warning("\(warning)", metadata: ["code": "webhookNotServed"])
        }
        for warning in settings.configuration.unusableRetentionRuleWarnings(serving: served) {
            log.logger.warning("\(warning)", metadata: ["code": "retentionRuleUnusable"])
        }
        // Only reports of money need them, and they are read again when the file changes.
        do { _ = try settings.configuration.rates() } catch {
            log.logger.warning(
                "Reports of money fail: \(error)", metadata: ["code": "invalidRates"])
        }
        if let limit = OpenFileLimit.raise(), limit < OpenFileLimit.comfortable {
            log.logger.warning(
                """
                This process may have \(limit) files and connections open at once; raise the hard \
                limit (LimitNOFILE in a unit, ulimit -n in a shell) to \(OpenFileLimit.wanted).
                """, metadata: ["code": "fewOpenFiles"])
        }
        let metrics = ServiceMetrics()
        let transport = HTTPTransport()
        let receivers = HTTPTransport.toReceivers()
        // Closed last: the last requests may still post through both.
        let stop = {
            await receivers.close()
            await transport.close()
            await log.flush()
        }
        try await closing(stop) {
            let host = try await LedgerHost.open(
                settings.configuration, environments: served,
                roots: try settings.trustedRoots(), responders: OCSPTransport(transport),
                observer: ServiceObserver(logger: log.logger, metrics: metrics)
            ) { Terminal.now }
            let service = try WebService(host: host, metrics: metrics, logger: log.logger)
            let isJSON = common.json
            let clients = clients(settings, log.logger, transport)
            if !clients.isEmpty { host.reach.use(clients, host.answerLedgers()) }
            let tasks =
                try await webhooks(endpoints, service, host, receivers)
                + host.loops(clients, transport, clock: SystemClock(host.clock))
            try await service.run(with: tasks) { port in
                if isJSON { try? Terminal.out { $0.object { $0.member("port", Int64(port)) } } }
            }
        }
        return .printed()
    }

    /// Delivers webhooks while the service runs; idle without endpoints. Cursors of new endpoints
    /// are created here, before the port opens, so that no confirmed change is missed.
    private func webhooks(
        _ endpoints: [WebhookEndpoint], _ service: WebService, _ host: LedgerHost,
        _ client: HTTPTransport
    ) async -> [UntilShutdown] {
        guard !endpoints.isEmpty else { return [] }
        let dispatcher = WebhookDispatcher(
            endpoints: endpoints, feeds: service.feeds, transport: client,
            clock: SystemClock(host.clock)
        ) { host.observer.noted($0) }
        await dispatcher.begin()
        host.reach.use(endpoints, client)
        // Deliveries that were not confirmed are repeated after the next start.
        return [UntilShutdown { await dispatcher.run() }]
    }

    /// The clients of the apps that have a key. An unusable key stops nothing else, not even the
    /// requests about other apps.
    private func clients(
        _ settings: Settings, _ logger: Logger, _ transport: HTTPTransport
    ) -> [BundleId: AppStoreServerAPIClient] {
        var clients: [BundleId: AppStoreServerAPIClient] = [:]
        for app in settings.configuration.apps where app.api != nil {
            do { clients[app.bundleId] = try settings.client(for: app, transport) } catch {
                let failure = CommandFailure(error)
                logger.warning(
                    "No requests about \(app.bundleId) are sent to Apple: \(failure.message)",
                    metadata: ["code": "\(failure.code)"])
            }
        }
        return clients
    }

    private func apply(to server: inout ServiceConfiguration.Server) throws {
        if let host { server.host = host }
        try requirePort(port)
        if let port { server.port = port }
        try server.requireGuarded()
    }
}
