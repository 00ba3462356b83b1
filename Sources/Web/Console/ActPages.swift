internal import AppStore
internal import Console
import Hummingbird
internal import Ledger
internal import Queries
internal import Service

/// The forms of decisions about customers and chains, and their handlers (Post/Redirect/Get).
struct ActPages: Sendable {
    let host: LedgerHost
    let pages: ConsolePages

    func add(to group: RouterGroup<WebContext>) {
        for act in ActPage.Act.allCases {
            let path = "\(ConsoleRoutes.home)/customers/:id/\(act.rawValue)"
            group.get("\(path)") { request, context in
                try await form(act, of: customer(context), request, context)
            }
            group.post("\(path)") { request, context in
                try await decide(act, of: customer(context), request, context)
            }
        }
        addChains(to: group)
    }

    private func addChains(to group: RouterGroup<WebContext>) {
        let path = "\(ConsoleRoutes.home)/subscriptions/:id"
        group.get("\(path)/note") { request, context in
            let id = try PathReader.text("id", context)
            let (frame, values) = try frame(["subscriptions", id, "note"], request, context)
            let reading = try await host.reading(id, pages.scope(frame))
            let key = values["key"] ?? pages.newKey
            return pages.response(
                ActPage(frame, .note, key: key, values: values).page(chain: reading))
        }
        group.post("\(path)/note") { request, context in
            let id = try PathReader.text("id", context)
            let form = try await ConsoleForm(request)
            let frame = try frame(["subscriptions", id, "note"], request, context).0
            do {
                return try await run(
                    .note(nil), about: id, form, frame.of(["subscriptions", id]), context)
            } catch {
                return try await kept(form, error) { key, failure in
                    let reading = try await host.reading(id, pages.scope(frame))
                    var page = ActPage(frame, .note, key: key, values: form.values)
                    page.failure = failure
                    return page.page(chain: reading)
                }
            }
        }
        group.get("\(path)/link") { request, context in
            let id = try PathReader.text("id", context)
            let (frame, values) = try frame(["subscriptions", id, "link"], request, context)
            if let customer = values["customer"] {
                return Response.seeOther(
                    frame.url(
                        "customers", customer, "link",
                        query: [("chain", id), ("bundleId", frame.state.bundleId?.rawValue)]))
            }
            let reading = try await host.reading(id, pages.scope(frame))
            return pages.response(ActPage(frame, .link, key: pages.newKey).page(chain: reading))
        }
    }

    private func customer(_ context: WebContext) throws -> String {
        try PathReader.text("id", context)
    }

    // MARK: Forms

    private func form(
        _ act: ActPage.Act, of id: String, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let (frame, values) = try frame(["customers", id, act.rawValue], request, context)
        return pages.response(
            try await page(
                act, id, frame, key: values["key"] ?? pages.newKey, values: values, failure: nil))
    }

    private func page(
        _ act: ActPage.Act, _ id: String, _ frame: Frame, key: String, values: [String: String],
        failure: String?
    ) async throws -> Page {
        let scope = pages.scope(frame)
        // A form may name the app of its chain; the customer's entitlements are those of all apps.
        var ofAllApps = scope
        ofAllApps.bundleId = nil
        let (answer, reading) = try await host.customer(CustomerId(stated: id), ofAllApps)
        var page = ActPage(frame, act, key: key, values: values)
        page.failure = failure
        guard let chain = values["chain"] else {
            let grant = Grant.grants(reading.commands).first { $0.id == values["grant"] }
            return page.page(customer: answer, chain: nil, grant: grant)
        }
        do {
            return page.page(customer: answer, chain: try await host.reading(chain, scope))
        } catch let missing as MissingAnswer {
            page.values["chain"] = nil
            page.failure = Problem(missing).detail
            return page.page(customer: answer, chain: nil)
        } catch QueryError.ambiguousId(_, let chains) {
            return page.page(customer: answer.customer, several: chains)
        }
    }

    private func frame(
        _ path: [String], _ request: Request, _ context: WebContext
    ) throws -> (Frame, [String: String]) {
        try pages.form(
            path, request, context, fields: ["chain", "customer", "grant"], for: .write)
    }

    // MARK: Decisions

    private func decide(
        _ act: ActPage.Act, of id: String, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let form = try await ConsoleForm(request)
        let frame = try frame(["customers", id, act.rawValue], request, context).0
        do {
            let (action, chain) = try action(act, CustomerId(stated: id), form)
            return try await run(
                action, about: chain, form, frame.of(["customers", id]), context)
        } catch {
            return try await kept(form, error) { key, failure in
                try await page(act, id, frame, key: key, values: form.values, failure: failure)
            }
        }
    }

    /// The form after an error, with the typed text, under its key. Throws the error where the form
    /// cannot be sent again.
    private func kept(
        _ form: ConsoleForm, _ error: any Error,
        _ page: (_ key: String, _ failure: String) async throws -> Page
    ) async throws -> Response {
        let problem = Problem(error)
        guard problem.keepsForm else { throw error }
        return pages.response(
            try await page(form.text("key") ?? pages.newKey, problem.detail), problem)
    }

    private func action(
        _ act: ActPage.Act, _ customer: CustomerId, _ form: ConsoleForm
    ) throws -> (Command.Action, String?) {
        switch act {
        case .link: return (.link(customer), try form.required("chain"))
        case .unlink: return (.unlink(customer), try form.required("chain"))
        case .grant:
            let entitlement = try form.required("entitlement")
            return (.grant(customer, entitlement: entitlement, until: try form.time("until")), nil)
        case .ungrant: return (.ungrant(customer, grant: try form.required("grant")), nil)
        case .note: return (.note(customer), nil)
        }
    }

    /// Appends the decision and redirects to the page it is about, which names its position.
    private func run(
        _ action: Command.Action, about chain: String?, _ form: ConsoleForm, _ frame: Frame,
        _ context: WebContext
    ) async throws -> Response {
        let receipt = try await host.receipt(
            action, about: chain, try form.order(frame, context), pages.scope(frame))
        return Response.seeOther(
            frame.state.url(frame.path, [("done", String(receipt.position))]))
    }
}
