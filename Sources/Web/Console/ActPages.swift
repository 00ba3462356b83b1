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
        for act in ActPage.Act.allCases { add(act, of: "customers", to: group) }
        add(.note, of: "subscriptions", to: group)
        group.get("\(ConsoleRoutes.home)/subscriptions/:id/link") { request, context in
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

    /// Adds the form of an act about a customer or a subscription, and its handler.
    private func add(
        _ act: ActPage.Act, of kind: String, to group: RouterGroup<WebContext>
    ) {
        let path = "\(ConsoleRoutes.home)/\(kind)/:id/\(act.rawValue)"
        group.get("\(path)") { request, context in
            let id = try PathReader.text("id", context)
            let (frame, values) = try frame([kind, id, act.rawValue], request, context)
            return pages.response(
                try await page(
                    act, id, frame, key: values["key"] ?? pages.newKey, values: values,
                    failure: nil))
        }
        group.post("\(path)") { request, context in
            let id = try PathReader.text("id", context)
            let form = try await ConsoleForm(request)
            let frame = try QueryParameters.read(request, isForm: true) {
                try pages.frame([kind, id, act.rawValue], &$0, context)
            }
            func decided() throws -> (Command.Action, String?) {
                guard kind == "customers" else { return (.note(nil), id) }
                return try action(act, CustomerId(stated: id), form)
            }
            do { try pages.admit(frame, for: .write) } catch {
                if let (action, chain) = try? decided(),
                    let order = try? form.order(frame, context)
                {
                    host.noteRefused(
                        action, about: chain, order, in: frame.state.environment,
                        code: Problem(error).code)
                }
                throw error
            }
            do {
                let (action, chain) = try decided()
                return try await run(action, about: chain, form, frame.of([kind, id]), context)
            } catch {
                let problem = Problem(error)
                // Throws where the form cannot be sent again.
                guard problem.keepsForm else { throw error }
                return pages.response(
                    try await page(
                        act, id, frame, key: pages.key(form, refused: problem),
                        values: form.values, failure: problem.formDetail), problem)
            }
        }
    }

    // MARK: Forms

    private func page(
        _ act: ActPage.Act, _ id: String, _ frame: Frame, key: String, values: [String: String],
        failure: String?
    ) async throws -> Page {
        let scope = pages.scope(frame)
        var page = ActPage(frame, act, key: key, values: values)
        page.failure = failure
        if frame.path.first == "subscriptions" {
            return page.page(chain: try await host.reading(id, scope))
        }
        // A form may name the app of its chain; the customer's entitlements are those of all apps.
        var ofAllApps = scope
        ofAllApps.bundleId = nil
        let (answer, reading) = try await host.customer(CustomerId(stated: id), ofAllApps)
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
