import AppStore
import AppStoreAPI
import ArgumentParser
import Foundation
import LedgerService
import Logging
import Outgoing
import ServiceLifecycle
import Web

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "The HTTP service.",
        discussion: """
            Takes Apple's notifications and answers questions until SIGTERM, for production and \
            sandbox on one endpoint; for xcode or localTesting only when --environment names it.
            """)

    @Option(help: "The address listened on (default: 127.0.0.1).")
    var host: String?

    @Option(help: "The port; 0 for any that is free (default: 8080).")
    var port: Int?

    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            var settings = try Settings(common)
            _ = try settings.requiredApps()
            try apply(to: &settings.configuration.server)
            let endpoints = try settings.webhookEndpoints()
            let log = ServiceLog(settings.configuration.server.log) { Console.now }
            let metrics = ServiceMetrics()
            let host = try await LedgerHost.open(
                settings.configuration, environments: settings.servedEnvironments,
                roots: try settings.trustedRoots(),
                observer: ServiceObserver(logger: log.logger, metrics: metrics)
            ) { Console.now }
            do {
                let service = try WebService(host: host, metrics: metrics, logger: log.logger)
                let isJSON = common.json
                let beside =
                    webhooks(endpoints, service, host) + (try recovery(settings, host))
                try await service.run(with: beside) { port in
                    if isJSON { try? Console.out { $0.object { $0.member("port", Int64(port)) } } }
                }
            } catch let error as WebServiceError {
                await log.flush()
                throw CommandFailure(
                    code: error.code.rawValue, message: error.description,
                    exit: error.code == .portUnavailable ? .io : .configuration)
            }
            await log.flush()
        }
    }

    /// Delivers webhooks while the service runs; nothing without endpoints.
    private func webhooks(
        _ endpoints: [WebhookEndpoint], _ service: WebService, _ host: LedgerHost
    ) -> [any Service] {
        guard !endpoints.isEmpty else { return [] }
        return [
            WebhookService(
                endpoints: endpoints, feeds: service.feeds, clock: SystemClock()
            ) { host.observer.noted(.webhook($0)) }
        ]
    }

    /// Recovers from outages while the service runs; nothing without an API key.
    private func recovery(
        _ settings: Settings, _ host: LedgerHost
    ) throws(CommandFailure) -> [any Service] {
        let apps = settings.configuration.apps.filter { $0.api != nil }
        guard settings.configuration.server.recovers, !apps.isEmpty else { return [] }
        let transport = HTTPTransport()
        var clients: [AppStoreServerAPIClient] = []
        for app in apps { clients.append(try settings.client(for: app, transport)) }
        let watch = RecoveryWatch(
            host: host, clients: clients, apps: settings.configuration.apps,
            verifier: try settings.verifier(), clock: SystemClock()
        ) { host.observer.noted(.recovery($0)) }
        return [RecoveryService(watch, transport: transport)]
    }

    private func apply(to server: inout Configuration.Server) throws(CommandFailure) {
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
