internal import Console
import Hummingbird
internal import Queries
internal import Service

/// The forms that erase a person's data: first the reason, then the plan, confirmed by typing the
/// id.
extension ConsolePages {
    func addErasures(to group: RouterGroup<WebContext>) {
        for kind in ["customers", "subscriptions"] {
            addForm(
                "\(kind)/:id/erase", to: group,
                admit: { frame, _ in try admit(frame, for: .admin) },
                page: { frame in
                    let page = ErasePage(frame)
                    // A confirmed erasure that failed may have erased in the log already.
                    return page.isConfirmed ? page.rest : page.question
                },
                act: { frame, sent in try await erase(frame, sent) })
        }
    }

    /// Shows what would be erased or, once the id was typed, erases it and redirects to the event
    /// of the erasure.
    private func erase(_ frame: Frame, _ sent: Sent) async throws -> Response {
        let subject = ErasePage(frame).subject
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
            do {
                let plan = try await host.erasurePlan(
                    chains: subject.chains, customer: subject.customer, scope(frame))
                return response(
                    ErasePage(frame).page(plan), status: isWrong ? .badRequest : .ok)
            } catch {
                let problem = Problem(error)
                guard problem.status == .notFound else { throw error }
                frame.failure = problem.detail
                return response(ErasePage(frame).rest, problem)
            }
        }
        let receipt = try await host.erase(
            chains: subject.chains, customer: subject.customer, order, scope(frame))
        return Response.seeOther(frame.url("events", String(receipt.position)))
    }
}
