internal import AppStore
internal import Console
import Hummingbird
internal import Intake
internal import Ledger
internal import Projection
internal import Queries
internal import Service

/// The pages: makes the frame of a page from a request, and the response from a page.
struct ConsolePages: Sendable {
    let host: LedgerHost
    let tokens: AccessTokens
    let answers: ResponseMemoryBudget
    let drafts = FormDrafts()

    /// The environment that a path names. Throws `noSuchPath` or `environmentNotServed`.
    func environment(_ context: WebContext) throws -> AppStore.Environment {
        let name = context.parameters.get("environment") ?? ""
        guard let environment = EnvironmentLedger.environment(named: name) else {
            throw Problem(.notFound, code: "noSuchPath", detail: "There is no such page.")
        }
        _ = try host.ledger(environment)
        return environment
    }

    /// The frame of a page: state and viewer.
    ///
    /// - Parameter path: of the page within its environment.
    func frame(
        _ path: [String], _ parameters: inout QueryParameters, _ context: WebContext
    ) throws -> Frame {
        let environment = try environment(context)
        var state = ViewState(environment: environment)
        let scope = try parameters.scope()
        state.at = scope.at
        state.knowledge = scope.knowledge
        state.bundleId = scope.bundleId
        state.zone = try parameters.choice("tz") ?? .utc
        var frame = frame(state, path, context)
        frame.hasProofs = host.canProve(environment)
        frame.hasSeveralApps = host.configuration.apps.count > 1
        frame.appsWithKey = host.appsWithClient(in: environment)
        if let ledger = try? host.ledger(environment) {
            frame.position = ledger.projectedPosition
            frame.lag = ledger.lag.positions
            frame.ageSeconds = ledger.age.map(\.components.seconds)
            frame.logFailure = ledger.projectionFailure
        }
        frame.minPosition = scope.minPosition
        return frame
    }

    /// The frame of a page without parameters of its own.
    func frame(
        _ path: [String], _ request: Request, _ context: WebContext
    ) throws -> Frame {
        try QueryParameters.read(request, isForm: true) { try frame(path, &$0, context) }
    }

    /// The frame of a page without an answer.
    func frame(_ state: ViewState, _ path: [String], _ context: WebContext) -> Frame {
        Frame(
            state: state, viewer: viewer(context), served: host.ledgers.map(\.environment),
            reportZone: ReportZone(host.configuration.reportTimeZone) ?? ConsolePages.utc,
            now: host.clock(), path: path)
    }

    private static let utc = ReportZone("UTC")!

    private func viewer(_ context: WebContext) -> Viewer {
        guard !tokens.isEmpty else { return .unnamed }
        let principal = context.principal
        return Viewer(
            name: principal?.name, scopes: principal?.scopes ?? [],
            hasSession: principal?.isProxyUser != true)
    }

    /// The scope of a frame's queries. The answer after an act includes it.
    func scope(_ frame: Frame) -> QueryScope {
        QueryScope(
            environment: frame.state.environment, bundleId: frame.state.bundleId,
            at: frame.state.at, knowledge: frame.state.knowledge,
            minPosition: frame.done ?? (frame.result == .asked ? frame.minPosition : nil))
    }

    /// The sender of a form, as `FormDrafts` counts it: the user who is signed in, else the
    /// address, behind trusted proxies that of their client.
    func sender(_ request: Request, _ context: WebContext) -> String {
        if let name = context.principal?.name { return name }
        let sources = SourceCheck(server: host.configuration.server)
        let address = sources.address(of: request, peer: context.peer?.ipAddress) ?? ""
        return NetworkRange.subscriber(
            of: String(address.prefix(AuthenticationFailures.addressLength)))
    }

    // MARK: Responses

    static let mediaType = "text/html; charset=utf-8"

    func response(_ page: Page, status: HTTPResponse.Status = .ok) -> Response {
        Response(page.html.utf8, type: ConsolePages.mediaType, status: status)
    }

    /// The page of a problem, with its status and Retry-After.
    func response(_ page: Page, _ problem: Problem) -> Response {
        var response = response(page, status: problem.status)
        if let retryAfter = problem.retryAfter {
            response.headers[.retryAfter] = String(retryAfter)
        }
        return response
    }

    /// A page that reloads itself until its answer, kept under `key`, is ready.
    func waiting(_ frame: Frame, _ key: String) -> Response {
        let progress = host.pageProgress(key).map { ($0.done, $0.total) }
        var response = response(PlainPages.waiting(frame, progress), status: .accepted)
        response.headers[.refresh] = String(PlainPages.waitingSeconds)
        return response
    }

    /// A problem as a page.
    func problem(_ problem: Problem, _ request: Request, _ context: WebContext) -> Response {
        let environment = (try? environment(context)) ?? host.ledgers[0].environment
        let frame = frame(ViewState(environment: environment), [], context)
        var response = response(
            PlainPages.problem(
                frame, status: problem.status.code, code: problem.code, detail: problem.detail,
                retrySeconds: problem.retryAfter), problem)
        // The browser reloads a page by itself; a form is not sent again.
        if let retryAfter = problem.retryAfter, request.method == .get {
            response.headers[.refresh] = String(retryAfter)
        }
        return response
    }
}

extension Frame {
    /// Throws `insufficientScope` for a viewer who may not see people.
    func requirePeople() throws(Problem) {
        guard viewer.seesPeople else { throw .lacking("support") }
    }

    /// Throws `insufficientScope` for a viewer who may not see intake and operation.
    func requireOperation() throws(Problem) {
        guard viewer.seesOperation else { throw .lacking("read") }
    }

    /// Throws `insufficientScope` for a viewer who may not see reports.
    func requireReports() throws(Problem) {
        guard viewer.seesReports else { throw .lacking("reports") }
    }
}
