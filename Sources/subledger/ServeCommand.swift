import AppStore
import AppStoreAPI
import ArgumentParser
import Foundation
import Intake
import Logging
import Queries
import Service
import ServiceLifecycle
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
        // Until `HangupService` traps it, SIGHUP would end the process. The files that it reloads
        // are read after this.
        signal(SIGHUP, SIG_IGN)
        var settings = settings
        _ = try settings.requiredApps()
        // An unusable table fails here instead of in the first report.
        _ = try settings.configuration.rates()
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
                observer: ServiceObserver(logger: log.logger, metrics: metrics),
                steady: ClockWatch.machineSteady()
            ) { Terminal.now }
            let service = try WebService(host: host, metrics: metrics, logger: log.logger)
            let isJSON = common.json
            let tasks =
                try await webhooks(endpoints, service, host, receivers)
                + appleServices(settings, host, log.logger, transport)
                + checkpoints(settings, host, transport)
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
    ) async -> [any Service] {
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

    /// Signs checkpoints of the served logs that have a key.
    private func checkpoints(
        _ settings: Settings, _ host: LedgerHost, _ transport: HTTPTransport
    ) throws -> [any Service] {
        let served = Set(settings.servedEnvironments)
        return try settings.configuration.audits.filter { served.contains($0.environment) }.map {
            let loop = try CheckpointLoop(
                $0, host: host, transport: transport, clock: SystemClock(host.clock)
            ) { host.observer.noted($0) }
            return UntilShutdown { await loop.run() }
        }
    }

    /// Recovers from outages and reconciles chains while the service runs, through the same
    /// clients, so that both share one rate limit; idle where no app has a key. An unusable key
    /// stops nothing else, not even the requests about other apps.
    private func appleServices(
        _ settings: Settings, _ host: LedgerHost, _ logger: Logger, _ transport: HTTPTransport
    ) throws -> [any Service] {
        let (server, apps) = (settings.configuration.server, settings.configuration.apps)
        var clients: [BundleId: AppStoreServerAPIClient] = [:]
        for app in apps where app.api != nil {
            do { clients[app.bundleId] = try settings.client(for: app, transport) } catch {
                let failure = CommandFailure(error)
                logger.warning(
                    "No requests about \(app.bundleId) are sent to Apple: \(failure.message)",
                    metadata: ["code": "\(failure.code)"])
            }
        }
        guard !clients.isEmpty else { return [] }
        var services: [any Service] = []
        host.reach.use(clients, host.answerLedgers())
        if server.recovers {
            let watch = RecoveryWatch(
                host: host, clients: clients.sorted { $0.key < $1.key }.map(\.value),
                clock: SystemClock(host.clock)
            ) { host.observer.noted($0) }
            services.append(UntilShutdown { await watch.run() })
        }
        if server.reconcile {
            let loop = ReconcileLoop(
                host, clients: clients, clock: SystemClock(host.clock)
            ) { host.observer.noted($0) }
            services.append(UntilShutdown { await loop.run() })
        }
        return services
    }

    private func apply(to server: inout ServiceConfiguration.Server) throws {
        if let host { server.host = host }
        try requirePort(port)
        if let port { server.port = port }
        try server.requireGuarded()
    }
}
