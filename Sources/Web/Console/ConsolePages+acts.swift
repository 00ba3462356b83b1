internal import AppStore
internal import Console
import Hummingbird
internal import Ledger
internal import LedgerStore
internal import Queries
internal import Service

/// The forms of decisions about customers and chains.
extension ConsolePages {
    func addActs(to group: RouterGroup<WebContext>) {
        for act in ActPage.Act.allCases { addAct(act, of: "customers", to: group) }
        addAct(.note, of: "subscriptions", to: group)
        let link = "subscriptions/:id/link"
        group.get("\(ConsoleRoutes.home)/\(link)") { request, context in
            let frame = try formFrame(link, request, context, fields: ConsolePages.actFields)
            try admit(frame, for: .write)
            let id = frame.path[1]
            if let customer = frame.values["customer"] {
                return Response.seeOther(
                    frame.url(
                        "customers", customer, "link",
                        query: [("chain", id), ("bundleId", frame.state.bundleId?.rawValue)]))
            }
            let reading = try await host.reading(id, scope(frame))
            return response(ActPage(frame, .link).page(chain: reading))
        }
    }

    private static let actFields = ["chain", "customer", "grant"]

    /// Adds the form of an act about a customer or a subscription.
    private func addAct(
        _ act: ActPage.Act, of kind: String, to group: RouterGroup<WebContext>
    ) {
        addForm(
            "\(kind)/:id/\(act.rawValue)", to: group, fields: ConsolePages.actFields,
            admit: { frame, sent in
                do { try admit(frame, for: .write) } catch {
                    if let sent, let (action, chain) = try? action(act, frame, sent.form),
                        let order = try? sent.form.order(frame, sent.context)
                    {
                        host.noteRefused(
                            action, about: chain, order, in: frame.state.environment,
                            code: Problem(error).code)
                    }
                    throw error
                }
            }, page: { frame in try await actPage(act, frame) },
            act: { frame, sent in
                let (action, chain) = try action(act, frame, sent.form)
                let seen = try sent.form.text("position").map { _ in
                    try sent.form.position("position")
                }
                let order = try sent.form.order(frame, sent.context)
                do {
                    let receipt = try await host.receipt(
                        action, about: chain, asOf: seen, order, scope(frame))
                    // The page it is about, which names its position.
                    return Response.seeOther(
                        frame.state.url(
                            Array(frame.path.prefix(2)), [("done", String(receipt.position))]))
                } catch {
                    let code = Problem(error).code
                    guard code == StoreError.Code.erasureOvertaken.rawValue else { throw error }
                    // Sent again, it would be refused again.
                    throw Problem(
                        .conflict, code: code,
                        detail: "What this is about was erased after this form was opened: nothing"
                            + " was decided. If it still applies, open the form again.")
                }
            })
    }

    private func actPage(_ act: ActPage.Act, _ frame: Frame) async throws -> Page {
        let (id, scope) = (frame.path[1], scope(frame))
        var page = ActPage(frame, act)
        if frame.path.first == "subscriptions" {
            return page.page(chain: try await host.reading(id, scope))
        }
        // A form may name the app of its chain; the customer's entitlements are those of all apps.
        var ofAllApps = scope
        ofAllApps.bundleId = nil
        let (answer, reading) = try await host.customer(CustomerId(stated: id), ofAllApps)
        guard let chain = frame.values["chain"] else {
            let grant = Grant.grants(reading.commands).first { $0.id == frame.values["grant"] }
            return page.page(customer: answer, chain: nil, grant: grant)
        }
        do {
            return page.page(customer: answer, chain: try await host.reading(chain, scope))
        } catch let missing as MissingAnswer {
            page.frame.values["chain"] = nil
            page.frame.failure = Problem(missing).detail
            return page.page(customer: answer, chain: nil)
        } catch QueryError.ambiguousId(_, let chains) {
            return page.page(customer: answer.customer, several: chains)
        }
    }

    /// What a form decides, and of which chain.
    private func action(
        _ act: ActPage.Act, _ frame: Frame, _ form: ConsoleForm
    ) throws -> (Command.Action, String?) {
        let id = frame.path[1]
        guard frame.path.first == "customers" else { return (.note(nil), id) }
        let customer = CustomerId(stated: id)
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
}
