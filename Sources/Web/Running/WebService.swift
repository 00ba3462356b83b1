import Hummingbird
public import Logging
import NIOCore
internal import Projection
public import Queries
public import Service
import ServiceLifecycle
import Synchronization
import UnixSignals

/// The HTTP service of the ledger: its routes, limits and connections, from start to drained
/// shutdown.
public struct WebService: Sendable {
    let host: LedgerHost
    let server: ServiceConfiguration.Server
    let readiness = Readiness()
    let metrics: ServiceMetrics
    let limits: ConnectionLimits
    let limiter: ConnectionLimiter
    let bodies = BodyReader()
    var answers = ResponseMemoryBudget()
    var streams = StreamRules()
    var authenticationPace = LogRateLimiter()
    /// The change feed of every environment, followed by webhook delivery.
    public let feeds: [ChangeFeed]
    let logger: Logger
    let certificates: CertificateStore?

    /// Throws for TLS files that cannot be used.
    public init(
        host: LedgerHost, metrics: ServiceMetrics = ServiceMetrics(), logger: Logger,
        limits: ConnectionLimits = ConnectionLimits()
    ) throws(WebServiceError) {
        self.host = host
        server = host.configuration.server
        self.metrics = metrics
        feeds = host.makeFeeds()
        host.onErasure { [feeds] in
            for feed in feeds { feed.forget() }
        }
        self.logger = logger
        self.limits = limits
        limiter = ConnectionLimiter(
            limits: limits, trusted: server.trustedProxies, reserved: server.notificationNetworks)
        certificates = try server.tls.map { (files) throws(WebServiceError) in
            try WebService.certificates(files)
        }
    }

    /// All routes, and responses for other methods of their paths.
    func router() -> Router<WebContext> {
        let router = routes()
        MethodRoutes.add(to: router)
        return router
    }

    func routes() -> Router<WebContext> {
        let router = Router(context: WebContext.self, options: [.autoGenerateHeadEndpoints])
        router.add(middleware: TraceMiddleware())
        router.add(middleware: RequestMeter(metrics: metrics))
        router.add(middleware: HeadMiddleware())
        let problems = ProblemMiddleware()
        router.add(middleware: problems)
        let tokens = AccessTokens(server.tokens)
        router.add(middleware: HostMiddleware(tokens: tokens))
        let sources = SourceCheck(server: server)
        let failures = AuthenticationFailures(
            sources: sources, metrics: metrics, logger: logger, pace: authenticationPace)
        let access = consoleGuard(tokens, problems)
        router.add(middleware: UnknownPages(access: access))
        router.add(middleware: TokenMiddleware(tokens: tokens, failures: failures))
        let groups = RouteGroups(router, tokens: tokens, answers: answers, host: host)
        addHealth(to: groups)
        addNotifications(to: groups, sources)
        addUploads(to: groups)
        addPeople(to: groups)
        addDecisions(to: groups)
        addEvents(to: groups)
        addReports(to: groups)
        addOperation(to: groups)
        addLog(to: groups)
        addMCP(to: groups)
        addChanges(to: groups)
        ConsoleRoutes(access: access, failures: failures).add(to: router)
        return router
    }

    private func consoleGuard(
        _ tokens: AccessTokens, _ problems: ProblemMiddleware
    ) -> ConsoleGuard {
        let pages = ConsolePages(host: host, tokens: tokens, answers: answers)
        host.onErasure { [drafts = pages.drafts] in drafts.removeAll() }
        return ConsoleGuard(sessions: ConsoleSessions(tokens), pages: pages, problems: problems)
    }

    /// The application; tests send requests to it directly.
    func application(
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> Application<RouterResponder<WebContext>> {
        Application(
            router: router(),
            server: connections,
            configuration: ApplicationConfiguration(
                address: .hostname(server.host, port: server.port), serverName: "subledger"),
            services: [
                UntilShutdown { [feeds, observer = host.observer] in
                    await WebService.run(feeds, observer)
                }
            ],
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) },
            logger: logger)
    }

    /// The application for a caller that runs it.
    package func listener(
        onRunning: @escaping @Sendable (Int) async -> Void
    ) -> any Service {
        application(onRunning: onRunning)
    }

    /// Runs the change feeds until the task is cancelled.
    static func run(_ feeds: [ChangeFeed], _ observer: any ServingObserver) async {
        await withTaskGroup(of: Void.self) { group in
            for feed in feeds {
                group.addTask(priority: .utility) {
                    await feed.run { error in
                        observer.noted(.feedFailed(feed.ledger.environment, error))
                    }
                }
            }
        }
    }

    // MARK: Running

    /// Longest wait for requests in progress at shutdown; one that waits for a database is answered
    /// within 15 s.
    static let drainLimit: Duration = .seconds(20)

    /// The services that run concurrently. The last shuts down first, so that `/readyz` reports a
    /// shutdown at once.
    func members(
        beside services: [any Service], trapsHangup: Bool,
        onRunning: @escaping @Sendable (Int) async -> Void
    ) -> [ServiceGroupConfiguration.ServiceConfiguration] {
        let hangup = HangupService(certificates: certificates, host: host, logger: logger)
        var members: [ServiceGroupConfiguration.ServiceConfiguration] =
            trapsHangup ? [.init(service: hangup)] : []
        members.append(.init(service: application(onRunning: onRunning)))
        members += services.map { ServiceGroupConfiguration.ServiceConfiguration(service: $0) }
        members.append(
            .init(service: readiness, successTerminationBehavior: .gracefullyShutdownGroup))
        return members
    }

    /// Serves until SIGTERM or SIGINT; then stops accepting, answers accepted requests, projects
    /// everything and closes the files.
    ///
    /// - `services`: services to run alongside, such as webhook delivery.
    /// - `trapsHangup`: whether SIGHUP reloads files. Otherwise it does what it did before: by
    ///   default it ends the process, so that none outlives its terminal.
    ///
    /// Throws `WebServiceError` when it cannot listen.
    public func run(
        with services: [any Service] = [], trapsHangup: Bool = true,
        onRunning: @escaping @Sendable (Int) async -> Void
    ) async throws {
        WebService.warn(of: certificates, at: host.clock(), logger)
        let hasListened = Mutex(false)
        let members = members(beside: services, trapsHangup: trapsHangup) { port in
            hasListened.withLock { $0 = true }
            await onRunning(port)
        }
        var group = ServiceGroupConfiguration(
            services: members, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        group.maximumGracefulShutdownDuration = WebService.drainLimit
        let serving = ServiceGroup(configuration: group)
        // The projector outlives the last request, so that accepted events are projected.
        async let projecting: Void = host.run()
        let result: Result<Void, any Error>
        do {
            try await serving.run()
            result = .success(())
        } catch is CancellationError where hasListened.withLock({ $0 }) {
            result = .success(())
        } catch { result = .failure(error) }
        if readiness.hasStopped(for: WebService.drainLimit) {
            // Half requests and those that take longer; clients without a response retry.
            logger.notice("What had not ended at the shutdown deadline was cut off.")
        }
        host.stop()
        await projecting
        guard case .failure(let error) = result else { return }
        if hasListened.withLock({ $0 }) { throw error }
        throw WebServiceError(of: server, cannotListen: error)
    }
}
