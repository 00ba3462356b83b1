internal import AppStore
internal import Console
import Hummingbird
internal import Intake
internal import Ledger
internal import LedgerStore
internal import Queries
internal import Service

/// Pages of intake and operation, and the forms of operators' acts.
struct OperatorPages: Sendable {
    let host: LedgerHost
    let pages: ConsolePages
    let answers: ResponseMemoryBudget

    func add(to group: RouterGroup<WebContext>) {
        let home = ConsoleRoutes.home
        group.get("\(home)") { request, context in
            let frame = try frame([], request, context).frame
            guard frame.viewer.seesOperation else {
                return pages.response(HomePage.page(frame, nil, nil))
            }
            let environment = frame.state.environment
            let status = try await host.status(environment)
            // The page reports that the database is away, and must neither fail nor wait then.
            let isAway = status.problems.contains(StoreError.Code.databaseUnavailable.rawValue)
            let webhooks = isAway ? nil : (try? await host.webhooks(environment))
            return pages.response(HomePage.page(frame, status, webhooks))
        }
        group.get("\(home)/intake") { request, context in
            let frame = try frame(["intake"], request, context).frame
            let status = try await host.status(frame.state.environment)
            return pages.response(IntakePage(frame, status).page)
        }
        group.get("\(home)/webhooks") { request, context in
            let (frame, _, values) = try frame(["webhooks"], request, context)
            let environment = frame.state.environment
            let sent = values["act"].flatMap { host.redelivered(under: $0, environment) }
            return pages.response(
                WebhooksPage.page(frame, try await host.webhooks(environment), redelivered: sent))
        }
        group.get("\(home)/audit") { request, context in
            let (frame, place, _) = try frame(["audit"], request, context)
            let environment = frame.state.environment
            let (checkpoints, next) = try await host.keptCheckpoints(
                environment, before: place, limit: Frame.rowCount)
            var page = AuditPage(frame, try await host.audit(environment))
            (page.checkpoints, page.next) = (checkpoints, next)
            return pages.response(page.page)
        }
        group.get("\(home)/decisions") { request, context in
            let (frame, place, _) = try frame(["decisions"], request, context)
            try PeoplePages.require(frame)
            let listing = try await host.decisions(
                frame.state.environment, before: place, limit: Frame.rowCount)
            return pages.response(DecisionsPage.page(frame, listing))
        }
        addQuarantine(to: group)
        addRecoveries(to: group)
        addActs(to: group)
    }

    private func addQuarantine(to group: RouterGroup<WebContext>) {
        let path = "\(ConsoleRoutes.home)/quarantine"
        group.get("\(path)") { request, context in
            let (frame, place, _) = try frame(["quarantine"], request, context)
            let listing = try await host.quarantine(
                frame.state.environment, after: place, limit: Frame.rowCount)
            return pages.response(QuarantinePages(frame).list(listing))
        }
        group.get("\(path)/:item") { request, context in
            let id = try PathReader.text("item", context)
            let frame = try frame(["quarantine", id], request, context).frame
            try PeoplePages.require(frame)
            let number = try PathReader.item("item", context)
            let share = try answers.require(ResponseMemoryBudget.makingByteCount)
            defer { withExtendedLifetime(share) {} }
            let item = try await host.quarantineItem(number, frame.state.environment)
            return pages.response(QuarantinePages(frame).item(item))
        }
    }

    private func addRecoveries(to group: RouterGroup<WebContext>) {
        let path = "\(ConsoleRoutes.home)/recoveries"
        group.get("\(path)") { request, context in
            let frame = try frame(["recoveries"], request, context).frame
            let listing = try await host.recoveries(frame.state.environment)
            return pages.response(RecoveriesPage(frame).list(listing))
        }
        group.get("\(path)/:recovery") { request, context in
            let id = try PathReader.text("recovery", context)
            let frame = try frame(["recoveries", id], request, context).frame
            // It names the customers whose access it changed.
            try PeoplePages.require(frame)
            let entry = try await host.recovery(id, frame.state.environment)
            return pages.response(RecoveriesPage(frame).entry(entry))
        }
    }

    /// The frame of a page, the place it continues at, and the initial fields of a form.
    private func frame(
        _ path: [String], _ request: Request, _ context: WebContext
    ) throws -> (frame: Frame, place: Int64?, values: [String: String]) {
        let read = try QueryParameters.read(request, isForm: true) {
            let before = try $0.position("before")
            let after = try $0.position("after")
            var values = pages.drafts.take($0.text("draft"))
            for name in ["bundleId", "from", "to", "act"] {
                // Fields typed before the session ended take precedence.
                if let value = $0.text(name), values[name] == nil { values[name] = value }
            }
            let result: OperatorForm.Result? = try $0.choice("did")
            // These pages show the present, whatever the page before showed.
            var frame = try pages.frame(path, &$0, context).present
            frame.result = result
            frame.place = [("before", before.map(String.init)), ("after", after.map(String.init))]
            return (frame, before ?? after, values)
        }
        guard read.0.viewer.seesOperation || path.isEmpty || path == ["decisions"] else {
            throw Problem.lacking("read")
        }
        return read
    }

    // MARK: Acts

    private func addActs(to group: RouterGroup<WebContext>) {
        act(group, "quarantine/retry") { _ in (["quarantine", "retry"], .retryQuarantine) }
        act(group, "recoveries/start") { _ in (["recoveries", "start"], .recover) }
        act(group, "audit/verify") { _ in (["audit", "verify"], .audit) }
        act(group, "subscriptions/:id/look-up") { context in
            let id = try PathReader.text("id", context)
            return (["subscriptions", id, "look-up"], .lookUp(id: id))
        }
        act(group, "orders/:id") { context in
            let id = try PathReader.text("id", context)
            return (["orders", id], .order(id: id))
        }
        act(group, "webhooks/:endpoint/redeliver") { context in
            let name = try PathReader.text("endpoint", context)
            return (["webhooks", name, "redeliver"], .redeliver(endpoint: name))
        }
    }

    /// Adds the form of an act, and its handler.
    private func act(
        _ group: RouterGroup<WebContext>, _ route: String,
        _ subject: @escaping @Sendable (WebContext) throws -> ([String], OperatorForm.Act)
    ) {
        let route = "\(ConsoleRoutes.home)/\(route)"
        group.get("\(route)") { request, context in
            let (path, act) = try subject(context)
            let (frame, _, values) = try frame(path, request, context)
            try require(frame, act)
            let key = values["key"] ?? pages.newKey
            return pages.response(OperatorForm(frame, act, key: key, values: values).page)
        }
        group.post("\(route)") { request, context in
            let form = try await ConsoleForm(request)
            let (path, act) = try subject(context)
            let frame = try frame(path, request, context).frame
            try require(frame, act)
            do { return try await run(act, form, frame, context) } catch {
                let problem = Problem(error)
                // A refusal of Apple's keeps the form, too.
                guard problem.keepsForm || error is LookupFailure else { throw error }
                var page = OperatorForm(
                    frame, act, key: pages.key(form, refused: problem), values: form.values)
                page.failure = problem.formDetail
                return pages.response(page.page, problem)
            }
        }
    }

    /// Throws `insufficientScope` for a viewer who may not operate, and `noSuchEndpoint`.
    private func require(_ frame: Frame, _ act: OperatorForm.Act) throws {
        switch act {
        case .lookUp, .order: try PeoplePages.require(frame)
        case .retryQuarantine, .recover, .redeliver, .audit: break
        }
        guard frame.viewer.operates else { throw Problem.lacking("admin") }
        if case .redeliver(let name) = act { try host.webhook(name, frame.state.environment) }
    }

    private func run(
        _ act: OperatorForm.Act, _ form: ConsoleForm, _ frame: Frame, _ context: WebContext
    ) async throws -> Response {
        let environment = frame.state.environment
        let order = try form.order(frame, context)
        switch act {
        case .retryQuarantine:
            // Showing this page does not state that evidence without an environment belongs here.
            _ = try await host.retryQuarantine(order, environment, isEnvironmentNamed: false)
            return done(frame, ["quarantine"], .retried)
        case .recover:
            let body = RecoveryBody(
                from: try form.time("from"),
                to: try form.text("to").map { _ in try form.time("to") },
                bundleId: form.text("bundleId").map { BundleId($0) })
            let job = try await host.startRecovery(body, order, environment).value
            return Response.seeOther(
                frame.viewer.seesPeople
                    ? frame.url("recoveries", job.id) : frame.url("recoveries"))
        case .redeliver(let endpoint):
            let range = try LedgerHost.Redelivery(
                from: try form.position("from"), to: try form.position("to"), isDryRun: false)
            _ = try await host.redeliver(endpoint, range, order, environment)
            // The address names the act, since it could claim any figure.
            return Response.seeOther(frame.state.url(["webhooks"], [("act", order.key)]))
        case .lookUp(let id):
            let chain = try await host.reading(id, pages.scope(frame)).chain
            _ = try await host.lookUp(.chain(chain), order, environment)
            return done(frame, ["subscriptions", id], .asked)
        case .order(let id):
            guard let found = try await host.lookUp(.order(id), order, environment).value else {
                throw Problem(
                    .notFound, code: "noSuchOrder", detail: "Apple knows no such order.")
            }
            return done(frame, ["subscriptions", found], .asked)
        case .audit:
            _ = try await host.startAudit(
                withSignatures: form.text("signatures") == "true", order, environment)
            return Response.seeOther(frame.url("audit"))
        }
    }

    private func done(
        _ frame: Frame, _ path: [String], _ result: OperatorForm.Result
    ) -> Response { Response.seeOther(frame.state.url(path, [("did", result.rawValue)])) }
}

extension Problem {
    static var historicView: Problem {
        Problem.invalid(
            "Nothing can be changed in a view of the past; leave at and knownAt out.",
            code: "historicView")
    }
}

extension ConsoleForm {
    /// The actor, reason and key of an act. The actor is the viewer; without tokens the form names
    /// one. A reason is one line; the form has room for several.
    func order(_ frame: Frame, _ context: WebContext) throws -> CommandIntake.Order {
        CommandIntake.Order(
            actor: try frame.viewer.name ?? required("actor"), tokenName: context.principal?.name,
            reason: String(try required("reason").map { $0.isNewline ? " " : $0 }),
            key: try required("key"))
    }

    /// Throws `invalidTime`.
    func time(_ name: String) throws(Problem) -> Timestamp {
        guard let time = Timestamp(formInput: try required(name)) else {
            throw Problem.invalid("\(name) takes \(Timestamp.formInputs).", code: "invalidTime")
        }
        return time
    }

    /// Throws `invalidParameter`.
    func position(_ name: String) throws(Problem) -> Int64 {
        guard let number = Int64(plain: try required(name)) else {
            throw Problem.invalid("\(name) takes a position.")
        }
        return number
    }
}
