internal import AppStore
internal import Console
import Hummingbird
internal import Ledger
internal import Queries
internal import Service

/// The forms that erase a person's data: first the reason, then the plan, confirmed by typing the
/// id (Post/Redirect/Get).
struct ErasePages: Sendable {
    let host: LedgerHost
    let pages: ConsolePages

    func add(to group: RouterGroup<WebContext>) {
        add("customers", to: group) { .customer(CustomerId(stated: $0)) }
        add("subscriptions", to: group) { .chain($0) }
    }

    private func add(
        _ kind: String, to group: RouterGroup<WebContext>,
        _ subject: @escaping @Sendable (String) -> ErasePage.Subject
    ) {
        let path = "\(ConsoleRoutes.home)/\(kind)/:id/erase"
        group.get("\(path)") { request, context in
            let id = try PathReader.text("id", context)
            let (frame, values) = try pages.form(
                [kind, id, "erase"], request, context, for: .admin)
            let page = ErasePage(
                frame, subject(id), key: values["key"] ?? pages.newKey, values: values)
            return pages.response(page.question)
        }
        group.post("\(path)") { request, context in
            let id = try PathReader.text("id", context)
            let form = try await ConsoleForm(request)
            let (frame, _) = try pages.form(
                [kind, id, "erase"], request, context, for: .admin)
            return try await answer(form, subject(id), frame, context)
        }
    }

    /// Shows what would be erased or, once the id was typed, erases it and redirects to the event
    /// of the erasure.
    private func answer(
        _ form: ConsoleForm, _ subject: ErasePage.Subject, _ frame: Frame, _ context: WebContext
    ) async throws -> Response {
        var page = ErasePage(
            frame, subject, key: form.text("key") ?? pages.newKey, values: form.values)
        let scope = pages.scope(frame)
        do {
            let order = try form.order(frame, context)
            try CommandCheck.check(order)
            let typed = form.values[ErasePage.confirmation]
            // An id may begin or end with spaces.
            let isNamed =
                subject.isNamed(by: typed)
                || subject.isNamed(by: form.text(ErasePage.confirmation))
            guard isNamed else {
                let isWrong = typed != nil
                if isWrong { page.failure = "This is not the id; nothing was erased." }
                let plan = try await host.erasurePlan(
                    chains: subject.chains, customer: subject.customer, scope)
                return pages.response(page.page(plan), status: isWrong ? .badRequest : .ok)
            }
            let receipt = try await host.erase(
                chains: subject.chains, customer: subject.customer, order, scope)
            return Response.seeOther(frame.url("events", String(receipt.position)))
        } catch {
            let problem = Problem(error)
            guard problem.keepsForm else { throw error }
            page.key = pages.key(form, refused: problem)
            page.failure = problem.formDetail
            return pages.response(page.question, problem)
        }
    }
}
