import Hummingbird
public import LedgerService
public import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// The ledger behind HTTP: the composition of routes, limits and connections, and its life from
/// start to drained end.
public struct WebService: Sendable {
    let host: LedgerHost
    let server: Configuration.Server
    let readiness = Readiness()
    let logger: Logger

    public init(host: LedgerHost, logger: Logger) {
        self.host = host
        server = host.configuration.server
        self.logger = logger
    }

    /// Every route there is. Groups of routes are files of their own beside this one's.
    func router() -> Router<WebContext> {
        let router = Router(context: WebContext.self, options: [.autoGenerateHeadEndpoints])
        router.add(middleware: ProblemMiddleware())
        let groups = RouteGroups(router, tokens: AccessTokens(server.tokens))
        HealthRoutes(host: host, readiness: readiness).add(to: groups)
        NotificationRoutes(host: host, sources: SourceCheck(server: server)).add(to: groups)
        TransactionRoutes(host: host).add(to: groups)
        SubscriptionRoutes(host: host).add(to: groups)
        EventRoutes(host: host).add(to: groups)
        MethodRoutes.add(to: router)
        return router
    }

    /// The application; tests send requests to it directly.
    ///
    /// - Parameter onRunning: told the port once connections are accepted.
    func application(
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> Application<RouterResponder<WebContext>> {
        Application(
            router: router(),
            configuration: ApplicationConfiguration(
                address: .hostname(server.host, port: server.port), serverName: "subledger"),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) },
            logger: logger)
    }

    // MARK: Running

    /// Longest wait for requests that are being answered when the service is asked to stop.
    static let drainLimit: Duration = .seconds(25)

    /// Serves until SIGTERM or SIGINT; then stops accepting, answers what was accepted, folds
    /// everything into the files and closes them.
    public func run(onRunning: @escaping @Sendable (Int) async -> Void) async throws {
        var group = ServiceGroupConfiguration(
            services: [
                .init(
                    service: ReadinessService(readiness: readiness),
                    successTerminationBehavior: .gracefullyShutdownGroup),
                .init(service: application(onRunning: onRunning)),
            ],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        group.maximumGracefulShutdownDuration = WebService.drainLimit
        let serving = ServiceGroup(configuration: group)
        // The projector outlives the last request: what was accepted is projected too.
        async let projecting: Void = host.run()
        let result: Result<Void, any Error>
        do {
            try await serving.run()
            result = .success(())
        } catch { result = .failure(error) }
        host.stop()
        await projecting
        try result.get()
    }
}
