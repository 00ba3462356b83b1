internal import AppStore
internal import Console
import Foundation
import Hummingbird
internal import Intake
internal import Ledger
import NIOCore
internal import Projection
internal import Queries
internal import Service

/// Makes the frame of a page from a request, and the response from a page.
struct ConsolePages: Sendable {
    let host: LedgerHost
    let tokens: AccessTokens
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
        _ path: [String], _ parameters: inout QueryParameters, _ context: WebContext,
        assets: [ConsoleAsset] = [.behaviour]
    ) throws -> Frame {
        let environment = try environment(context)
        var state = ViewState(environment: environment)
        let scope = try parameters.scope()
        state.at = scope.at
        state.knowledge = scope.knowledge
        state.bundleId = scope.bundleId
        state.zone = try parameters.choice("tz") ?? .utc
        var frame = frame(state, path, context, assets: assets)
        frame.hasProofs = host.canProve(environment)
        frame.hasSeveralApps = host.configuration.apps.count > 1
        frame.appsWithKey = host.appsWithClient
        if let ledger = try? host.ledger(environment) {
            frame.position = ledger.projectedPosition
            frame.lag = ledger.lag.positions
            frame.ageSeconds = ledger.age.map(\.components.seconds)
        }
        return frame
    }

    /// The frame of a page without an answer.
    func frame(
        _ state: ViewState, _ path: [String], _ context: WebContext,
        assets: [ConsoleAsset] = [.behaviour]
    ) -> Frame {
        Frame(
            state: state, viewer: viewer(context), served: host.ledgers.map(\.environment),
            assets: assets,
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

    /// The frame of a form that acts, and its initial fields: those of a draft, and those named in
    /// its address.
    ///
    /// - Parameter scope: `write` or `admin`, which the viewer must have.
    func form(
        _ path: [String], _ request: Request, _ context: WebContext, fields names: [String] = [],
        for scope: Scope
    ) throws -> (Frame, [String: String]) {
        let (frame, values) = try QueryParameters.read(request, isForm: true) {
            var values = drafts.take($0.text("draft"))
            for name in names {
                if let value = $0.text(name) { values[name] = value }
            }
            return (try self.frame(path, &$0, context), values)
        }
        try admit(frame, for: scope)
        return (frame, values)
    }

    /// Throws `insufficientScope` for a viewer who may not act, and `historicView` for a view of
    /// the past.
    func admit(_ frame: Frame, for scope: Scope) throws {
        try PeoplePages.require(frame)
        guard scope == .admin ? frame.viewer.operates : frame.viewer.decides else {
            throw Problem.lacking(scope.rawValue)
        }
        guard !frame.state.isHistoric else { throw Problem.historicView }
    }

    /// Identifies one form, so that sending it twice acts once.
    var newKey: String { UUID().uuidString.lowercased() }

    /// The key of a refused form that is shown again: its own, unless another request used it.
    func key(_ form: ConsoleForm, refused problem: Problem) -> String {
        (problem.isKeyReused ? nil : form.text("key")) ?? newKey
    }

    /// The scope of a frame's queries.
    func scope(_ frame: Frame) -> QueryScope {
        QueryScope(
            environment: frame.state.environment, bundleId: frame.state.bundleId,
            at: frame.state.at, knowledge: frame.state.knowledge)
    }

    // MARK: Responses

    func response(_ page: Page, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: page.html)))
    }

    /// The page of a problem, with its status and Retry-After.
    func response(_ page: Page, _ problem: Problem) -> Response {
        var response = response(page, status: problem.status)
        if let retryAfter = problem.retryAfter {
            response.headers[.retryAfter] = String(retryAfter)
        }
        return response
    }

    /// A page that reloads itself until its answer is ready.
    func waiting(_ frame: Frame) -> Response {
        var response = response(PlainPages.waiting(frame), status: .accepted)
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
