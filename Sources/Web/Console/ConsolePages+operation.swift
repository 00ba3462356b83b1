internal import AppStore
internal import Console
import Hummingbird
internal import Intake
internal import Ledger
internal import LedgerStore
internal import Queries
internal import Service

/// Pages of intake and operation, and the forms of operators' acts.
extension ConsolePages {
    func addOperation(to group: RouterGroup<WebContext>) {
        let home = ConsoleRoutes.home
        group.get("\(home)") { request, context in
            let frame = try operatorFrame([], request, context).frame
            guard frame.viewer.seesOperation else {
                return response(HomePage.page(frame, nil, nil))
            }
            let environment = frame.state.environment
            let status = try await host.status(environment)
            // The page reports that the database is away, and must neither fail nor wait then.
            let isAway = status.problems.contains(StoreError.Code.databaseUnavailable.rawValue)
            let webhooks = isAway ? nil : (try? await host.webhooks(environment))
            return response(HomePage.page(frame, status, webhooks))
        }
        group.get("\(home)/intake") { request, context in
            let frame = try operatorFrame(["intake"], request, context).frame
            let status = try await host.status(frame.state.environment)
            return response(IntakePage(frame, status).page)
        }
        group.get("\(home)/webhooks") { request, context in
            let (frame, _, act) = try operatorFrame(["webhooks"], request, context)
            let environment = frame.state.environment
            let sent = act.flatMap { host.redelivered(under: $0, environment) }
            return response(
                WebhooksPage.page(frame, try await host.webhooks(environment), redelivered: sent))
        }
        group.get("\(home)/audit") { request, context in
            let (frame, place, _) = try operatorFrame(["audit"], request, context)
            let environment = frame.state.environment
            let (checkpoints, next) = try await host.keptCheckpoints(
                environment, before: place, limit: Frame.rowCount)
            var page = AuditPage(frame, try await host.audit(environment))
            (page.checkpoints, page.next) = (checkpoints, next)
            return response(page.page)
        }
        group.get("\(home)/decisions") { request, context in
            let (frame, place, _) = try operatorFrame(["decisions"], request, context)
            try frame.requirePeople()
            let listing = try await host.decisions(
                frame.state.environment, before: place, limit: Frame.rowCount)
            return response(DecisionsPage.page(frame, listing))
        }
        addQuarantine(to: group)
        addRecoveries(to: group)
        addOperatorForms(to: group)
    }

    private func addQuarantine(to group: RouterGroup<WebContext>) {
        let path = "\(ConsoleRoutes.home)/quarantine"
        group.get("\(path)") { request, context in
            let (frame, place, _) = try operatorFrame(["quarantine"], request, context)
            let listing = try await host.quarantine(
                frame.state.environment, after: place, limit: Frame.rowCount)
            return response(QuarantinePages(frame).list(listing))
        }
        group.get("\(path)/:item") { request, context in
            let id = try PathReader.text("item", context)
            let frame = try operatorFrame(["quarantine", id], request, context).frame
            try frame.requirePeople()
            let number = try PathReader.item("item", context)
            let share = try answers.require(ResponseMemoryBudget.makingByteCount)
            defer { withExtendedLifetime(share) {} }
            let item = try await host.quarantineItem(number, frame.state.environment)
            return response(QuarantinePages(frame).item(item))
        }
    }

    private func addRecoveries(to group: RouterGroup<WebContext>) {
        let path = "\(ConsoleRoutes.home)/recoveries"
        group.get("\(path)") { request, context in
            let frame = try operatorFrame(["recoveries"], request, context).frame
            let listing = try await host.recoveries(frame.state.environment)
            return response(RecoveriesPage(frame).list(listing))
        }
        group.get("\(path)/:recovery") { request, context in
            let id = try PathReader.text("recovery", context)
            let frame = try operatorFrame(["recoveries", id], request, context).frame
            // It names the customers whose access it changed.
            try frame.requirePeople()
            let entry = try await host.recovery(id, frame.state.environment)
            return response(RecoveriesPage(frame).entry(entry))
        }
    }

    /// The frame of a page, the place it continues at, and the key of an act just done.
    private func operatorFrame(
        _ path: [String], _ request: Request, _ context: WebContext
    ) throws -> (frame: Frame, place: Int64?, act: String?) {
        let read = try QueryParameters.read(request, isForm: true) {
            let before = try $0.position("before")
            let after = try $0.position("after")
            let act = $0.text("act")
            let result: OperatorForm.Result? = try $0.choice("did")
            // These pages show the present, whatever the page before showed.
            var frame = try self.frame(path, &$0, context).present
            frame.result = result
            frame.place = [("before", before.map(String.init)), ("after", after.map(String.init))]
            return (frame, before ?? after, act)
        }
        if !path.isEmpty, path != ["decisions"] { try read.0.requireOperation() }
        return read
    }

    // MARK: Acts

    private func addOperatorForms(to group: RouterGroup<WebContext>) {
        addOperatorForm("quarantine/retry", to: group) { _ in
            (["quarantine", "retry"], .retryQuarantine)
        }
        addOperatorForm("recoveries/start", to: group) { _ in (["recoveries", "start"], .recover) }
        addOperatorForm("audit/verify", to: group) { _ in (["audit", "verify"], .audit) }
        addOperatorForm("subscriptions/:id/look-up", to: group) { context in
            let id = try PathReader.text("id", context)
            return (["subscriptions", id, "look-up"], .lookUp(id: id))
        }
        addOperatorForm("orders/:id", to: group) { context in
            let id = try PathReader.text("id", context)
            return (["orders", id], .order(id: id))
        }
        addOperatorForm("webhooks/:endpoint/redeliver", to: group) { context in
            let name = try PathReader.text("endpoint", context)
            return (["webhooks", name, "redeliver"], .redeliver(endpoint: name))
        }
    }

    /// Adds the form of an act. It shows the present, whatever the page before showed.
    private func addOperatorForm(
        _ route: String, to group: RouterGroup<WebContext>,
        _ subject: @escaping @Sendable (WebContext) throws -> ([String], OperatorForm.Act)
    ) {
        addForm(
            route, to: group, fields: ["bundleId", "from", "to"], subject,
            admit: { frame, act, _ in try admit(frame, to: act) },
            page: { frame, act in OperatorForm(frame.present, act).page },
            act: { frame, act, sent in try await run(act, frame.present, sent) })
    }

    /// Throws `insufficientScope` for a viewer who may not operate, and `noSuchEndpoint`.
    private func admit(_ frame: Frame, to act: OperatorForm.Act) throws {
        try frame.requireOperation()
        switch act {
        case .lookUp, .order: try frame.requirePeople()
        case .retryQuarantine, .recover, .redeliver, .audit: break
        }
        guard frame.viewer.operates else { throw Problem.lacking("admin") }
        if case .redeliver(let name) = act { try host.webhook(name, frame.state.environment) }
    }

    private func run(
        _ act: OperatorForm.Act, _ frame: Frame, _ sent: Sent
    ) async throws -> Response {
        let (form, environment) = (sent.form, frame.state.environment)
        let order = try form.order(frame, sent.context)
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
            let chain = try await host.reading(id, scope(frame)).chain
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
