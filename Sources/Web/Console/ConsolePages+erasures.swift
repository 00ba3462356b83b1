internal import AppStore
internal import Console
import Hummingbird
internal import Ledger
internal import Queries
internal import Service

/// The forms that erase a person's data: first the reason, then the plan, confirmed by typing the
/// id.
extension ConsolePages {
    func addErasures(to group: RouterGroup<WebContext>) {
        addErasure("customers", to: group) { .customer(CustomerId(stated: $0)) }
        addErasure("subscriptions", to: group) { .chain($0) }
    }

    private func addErasure(
        _ kind: String, to group: RouterGroup<WebContext>,
        _ subject: @escaping @Sendable (String) -> ErasePage.Subject
    ) {
        addForm(
            "\(kind)/:id/erase", to: group,
            { (context: WebContext) throws -> ([String], ErasePage.Subject) in
                let id = try PathReader.text("id", context)
                return ([kind, id, "erase"], subject(id))
            }, admit: { frame, _, _ in try admit(frame, for: .admin) },
            page: { frame, subject in ErasePage(frame, subject).question },
            act: { frame, subject, sent in try await erase(subject, frame, sent) })
    }

    /// Shows what would be erased or, once the id was typed, erases it and redirects to the event
    /// of the erasure.
    private func erase(
        _ subject: ErasePage.Subject, _ frame: Frame, _ sent: Sent
    ) async throws -> Response {
        let order = try sent.form.order(frame, sent.context)
        try CommandCheck.check(order)
        let typed = frame.values[ErasePage.confirmation]
        // An id may begin or end with spaces.
        let isNamed =
            subject.isNamed(by: typed)
            || subject.isNamed(by: sent.form.text(ErasePage.confirmation))
        guard isNamed else {
            var frame = frame
            let isWrong = typed != nil
            if isWrong { frame.failure = "This is not the id; nothing was erased." }
            let plan = try await host.erasurePlan(
                chains: subject.chains, customer: subject.customer, scope(frame))
            return response(
                ErasePage(frame, subject).page(plan), status: isWrong ? .badRequest : .ok)
        }
        let receipt = try await host.erase(
            chains: subject.chains, customer: subject.customer, order, scope(frame))
        return Response.seeOther(frame.url("events", String(receipt.position)))
    }
}
