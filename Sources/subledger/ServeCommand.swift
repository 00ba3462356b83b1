import AppStore
import AppStoreAPI
import AppleSync
import ArgumentParser
import Foundation
import Intake
import Logging
import Queries
import SQLiteStore
import Service
import ServiceLifecycle
import Web

struct ServeCommand: AsyncParsableCommand {
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

    func run() async throws {
        AllocatorArenas.bound()
        try await perform {
            var settings = try Settings(common)
            _ = try settings.requiredApps()
            try apply(to: &settings.configuration.server)
            let endpoints = try settings.webhookEndpoints()
            let log = ServiceLog(settings.configuration.server.log) { Console.now }
            for secret in settings.configuration.secretPaths where secret.isOpenToOthers {
                log.logger.warning("\(secret.warning)", metadata: ["code": "secretOpenToOthers"])
            }
            let metrics = ServiceMetrics()
            let transport = HTTPTransport()
            let served: Result<Void, any Error>
            do {
                let host = try await LedgerHost.open(
                    settings.configuration, environments: settings.servedEnvironments,
                    roots: try settings.trustedRoots(), responders: OCSPTransport(transport),
                    observer: ServiceObserver(logger: log.logger, metrics: metrics),
                    steady: ClockWatch.machineSteady()
                ) { Console.now }
                let service = try WebService(host: host, metrics: metrics, logger: log.logger)
                let isJSON = common.json
                let beside =
                    await webhooks(endpoints, service, host)
                    + asking(settings, host, log.logger, transport)
                try await service.run(with: beside) { port in
                    if isJSON { try? Console.out { $0.object { $0.member("port", Int64(port)) } } }
                }
                served = .success(())
            } catch { served = .failure(error) }
            await transport.close()
            await log.flush()
            do { try served.get() } catch let error as WebServiceError {
                throw CommandFailure(
                    code: error.code.rawValue, message: error.description,
                    exit: error.code == .portUnavailable ? .io : .configuration)
            }
        }
    }

    /// Delivers webhooks while the service runs; idle without endpoints. Cursors of new endpoints
    /// are created here, before the port opens, so that no confirmed change is missed.
    private func webhooks(
        _ endpoints: [WebhookEndpoint], _ service: WebService, _ host: LedgerHost
    ) async -> [any Service] {
        guard !endpoints.isEmpty else { return [] }
        let delivery = WebhookService(
            endpoints: endpoints, feeds: service.feeds, clock: SystemClock(host.clock)
        ) { host.observer.noted(.webhook($0)) }
        await delivery.begin()
        return [delivery]
    }

    /// Recovers from outages and reconciles chains while the service runs, through the same
    /// clients, so that both share one rate limit; idle where no app has a key. An unusable key
    /// stops nothing else.
    private func asking(
        _ settings: Settings, _ host: LedgerHost, _ logger: Logger, _ transport: HTTPTransport
    ) -> [any Service] {
        let server = settings.configuration.server
        guard settings.configuration.apps.contains(where: { $0.api != nil }) else { return [] }
        do throws(CommandFailure) {
            let clients = try settings.clients(transport)
            var services: [any Service] = []
            host.receiptQuestions.use(
                clients,
                EnvironmentLedgers(
                    settings.configuration.ledger, apps: settings.configuration.apps,
                    verifier: try settings.verifier(), revocation: host.revocation,
                    ledgers: host.ledgers.map(\.ledger)
                ) { host.clock() })
            if server.recovers {
                services.append(
                    RecoveryService(
                        RecoveryWatch(
                            host: host,
                            clients: clients.sorted { $0.key < $1.key }.map(\.value),
                            apps: settings.configuration.apps,
                            verifier: try settings.verifier(), clock: SystemClock(host.clock)
                        ) { host.observer.noted(.recovery($0)) }))
            }
            if server.reconcile {
                let loop = ReconcileLoop(
                    host, clients: clients, roots: try settings.trustedRoots(),
                    clock: SystemClock(host.clock)
                ) { host.observer.noted(.reconciled($0)) }
                services.append(ReconcileService(loop))
            }
            return services
        } catch {
            logger.warning(
                "No requests are sent to Apple: \(error.message)",
                metadata: ["code": "\(error.code)"])
            return []
        }
    }

    private func apply(to server: inout ServiceConfiguration.Server) throws(CommandFailure) {
        if let host { server.host = host }
        if let port {
            guard (0...65_535).contains(port) else {
                throw CommandFailure(
                    code: "invalidOption", message: "--port takes 0 to 65535.", exit: .usage)
            }
            server.port = port
        }
        do throws(ConfigurationError) { try server.requireGuarded() } catch {
            throw CommandFailure(
                code: error.code.rawValue, message: error.description, exit: .configuration)
        }
    }
}
