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
        group.get("\(ConsoleRoutes.home)") { request, context in
            let frame = try operatorView([], request, context).frame
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
        addView("intake", to: group) { view in
            IntakePage(view.frame, try await host.status(view.environment)).page
        }
        addView("webhooks", to: group) { view in
            let sent = view.act.flatMap { host.redelivered(under: $0, view.environment) }
            return WebhooksPage.page(
                view.frame, try await host.webhooks(view.environment), redelivered: sent)
        }
        addView("audit", to: group) { view in
            let kept = try await host.keptCheckpoints(
                view.environment, before: view.place, limit: Frame.rowCount)
            return AuditPage(view.frame, try await host.audit(view.environment), kept).page
        }
        addView("decisions", to: group) { view in
            try view.frame.requirePeople()
            return DecisionsPage.page(
                view.frame,
                try await host.decisions(
                    view.environment, before: view.place, limit: Frame.rowCount))
        }
        addView("quarantine", to: group) { view in
            QuarantinePages(view.frame).list(
                try await host.quarantine(
                    view.environment, after: view.place, limit: Frame.rowCount))
        }
        addView("quarantine/:item", to: group) { view in
            try view.frame.requirePeople()
            let number = try PathReader.item(view.frame.path[1])
            let share = try answers.require(ResponseMemoryBudget.makingByteCount)
            defer { withExtendedLifetime(share) {} }
            let item = try await host.quarantineItem(number, view.environment)
            return QuarantinePages(view.frame).item(item)
        }
        addView("recoveries", to: group) { view in
            RecoveriesPage(view.frame).list(try await host.recoveries(view.environment))
        }
        addView("recoveries/:recovery", to: group) { view in
            // It names the customers whose access it changed.
            try view.frame.requirePeople()
            let entry = try await host.recovery(view.frame.path[1], view.environment)
            return RecoveriesPage(view.frame).entry(entry)
        }
        for act in OperatorForm.Act.allCases { addForm(act, to: group) }
    }

    /// What a page of intake and operation is asked for.
    private struct OperatorView {
        let frame: Frame
        /// Where a list continues.
        let place: Int64?
        /// The key of an act just done.
        let act: String?

        var environment: AppStore.Environment { frame.state.environment }
    }

    /// Adds a page of intake or operation.
    private func addView(
        _ route: String, to group: RouterGroup<WebContext>,
        _ page: @escaping @Sendable (OperatorView) async throws -> Page
    ) {
        group.get("\(ConsoleRoutes.home)/\(route)") { request, context in
            let path = try PathReader.parts(route, context)
            return response(try await page(try operatorView(path, request, context)))
        }
    }

    private func operatorView(
        _ path: [String], _ request: Request, _ context: WebContext
    ) throws -> OperatorView {
        let view = try QueryParameters.read(request, isForm: true) {
            let before = try $0.position("before")
            let after = try $0.position("after")
            let act = $0.text("act")
            let result: OperatorForm.Result? = try $0.choice("did")
            // These pages show the present, whatever the page before showed.
            var frame = try self.frame(path, &$0, context).present
            frame.result = result
            frame.place = [("before", before.map(String.init)), ("after", after.map(String.init))]
            return OperatorView(frame: frame, place: before ?? after, act: act)
        }
        if !path.isEmpty, path != ["decisions"] { try view.frame.requireOperation() }
        return view
    }

    // MARK: Acts

    /// Adds the form of an act. It shows the present, whatever the page before showed.
    private func addForm(_ act: OperatorForm.Act, to group: RouterGroup<WebContext>) {
        addForm(
            act.rawValue, to: group, fields: ["bundleId", "from", "to"],
            admit: { frame, _ in try admit(frame, to: act) },
            page: { frame in OperatorForm(frame.present, act).page },
            act: { frame, sent in try await run(act, frame.present, sent) })
    }

    /// Throws `insufficientScope` for a viewer who may not operate, and `noSuchEndpoint`.
    private func admit(_ frame: Frame, to act: OperatorForm.Act) throws {
        try frame.requireOperation()
        switch act {
        case .lookUp, .order: try frame.requirePeople()
        case .retryQuarantine, .recover, .redeliver, .audit: break
        }
        guard frame.viewer.operates else { throw Problem.lacking("admin") }
        if act == .redeliver { try host.webhook(frame.path[1], frame.state.environment) }
    }

    private func run(
        _ act: OperatorForm.Act, _ frame: Frame, _ sent: Sent
    ) async throws -> Response {
        let (form, environment, id) = (sent.form, frame.state.environment, frame.path[1])
        let order = try form.order(frame, sent.context)
        switch act {
        case .retryQuarantine:
            // Showing this page does not state that evidence without an environment belongs here.
            _ = try await host.retryQuarantine(order, environment, isEnvironmentNamed: false)
            return Response.seeOther(
                frame.state.url(
                    ["quarantine"], [("did", OperatorForm.Result.retried.rawValue)]))
        case .recover:
            let body = RecoveryBody(
                from: try form.time("from"),
                to: try form.text("to").map { _ in try form.time("to") },
                bundleId: form.text("bundleId").map { BundleId($0) })
            let job = try await host.startRecovery(body, order, environment).value
            return Response.seeOther(
                frame.viewer.seesPeople
                    ? frame.url("recoveries", job.id) : frame.url("recoveries"))
        case .redeliver:
            let range = try LedgerHost.Redelivery(
                from: try form.position("from"), to: try form.position("to"), isDryRun: false)
            _ = try await host.redeliver(id, range, order, environment)
            // The address names the act, since it could claim any figure.
            return Response.seeOther(frame.state.url(["webhooks"], [("act", order.key)]))
        case .lookUp:
            let chain = try await host.reading(id, scope(frame)).chain
            _ = try await host.lookUp(.chain(chain), order, environment)
            return try asked(frame, about: id)
        case .order:
            guard let found = try await host.lookUp(.order(id), order, environment).value else {
                throw Problem(
                    .notFound, code: "noSuchOrder", detail: "Apple knows no such order.")
            }
            return try asked(frame, about: found)
        case .audit:
            _ = try await host.startAudit(
                withSignatures: form.text("signatures") == "true", order, environment)
            return Response.seeOther(frame.url("audit"))
        }
    }

    /// Redirects to the subscription that Apple was asked about, which waits for what it sent.
    private func asked(_ frame: Frame, about id: String) throws -> Response {
        let head = try host.ledger(frame.state.environment).head
        return Response.seeOther(
            frame.state.url(
                ["subscriptions", id],
                [
                    ("did", OperatorForm.Result.asked.rawValue), ("minPosition", String(head)),
                ]))
    }
}
