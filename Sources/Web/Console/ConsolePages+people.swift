internal import AppStore
internal import Console
import Hummingbird
internal import Ledger
internal import LedgerStore
internal import Projection
internal import Queries
internal import Service

/// Pages about customers, subscriptions and events.
extension ConsolePages {
    func addPeople(to group: RouterGroup<WebContext>) {
        group.get("\(ConsoleRoutes.home)/find", use: find)
        group.get("\(ConsoleRoutes.home)/customers/:id") { request, context in
            let id = try PathReader.text("id", context)
            let (asked, before) = try await personFrame(["customers", id], request, context)
            let (answer, reading) = try await recorded(asked) {
                try await host.customer(CustomerId(stated: id), scope(asked))
            }
            var frame = asked
            frame.unlisted = try unlisted(reading, asked)
            let page = CustomerPage(frame, answer, reading, before: before)
            return response(page.page, status: page.isUnknown ? .notFound : .ok)
        }
        group.get("\(ConsoleRoutes.home)/subscriptions/:id") { request, context in
            let id = try PathReader.text("id", context)
            let (frame, before) = try await personFrame(["subscriptions", id], request, context)
            do {
                let reading = try await recorded(frame) {
                    try await host.reading(id, scope(frame))
                }
                return response(SubscriptionPage(frame, reading, before: before).page)
            } catch let missing as MissingAnswer {
                let found = FindPage(frame)
                let page =
                    missing.error == .noSuchSubscription(id)
                    ? found.nothing(for: id) : found.stateless(id, Problem(missing).detail)
                return response(page, status: .notFound)
            } catch QueryError.ambiguousId(_, let chains) {
                return response(FindPage(frame).page(several: chains))
            }
        }
    }

    /// Redirects to the page of exactly this id, or lists what begins with it.
    private func find(_ request: Request, _ context: WebContext) async throws -> Response {
        let frame = try QueryParameters.read(request, isForm: true) {
            let text = $0.text("q")
            var frame = try self.frame(["find"], &$0, context)
            frame.kept = [("q", text)]
            return frame
        }
        try frame.requirePeople()
        let page = FindPage(frame)
        guard let text = frame.asked("q") else { return response(page.empty) }
        let answer = try await host.search(text, scope(frame))
        if let address = page.address(answer) { return Response.seeOther(address) }
        return response(
            page.page(answer), status: answer.matches.isEmpty ? .notFound : .ok)
    }

    /// The frame of a page about a person, with the place its timeline ends before.
    private func personFrame(
        _ path: [String], _ request: Request, _ context: WebContext
    ) async throws -> (Frame, TimelinePlace?) {
        let (frame, before) = try QueryParameters.read(request, isForm: true) {
            let before = try $0.cursor("before") { TimelinePlace(cursor: $0) }
            let done = try $0.position("done")
            let result: OperatorForm.Result? = try $0.choice("did")
            var frame = try self.frame(path, &$0, context)
            frame.done = done
            frame.result = result
            frame.place = [("before", before?.cursor)]
            return (frame, before)
        }
        try frame.requirePeople()
        return (try await checked(frame), before)
    }

    /// Removes a `done` that is not a recent decision, since a link could name any event. While the
    /// log cannot be read, the page waits for the event and does not state what it is.
    private func checked(_ asked: Frame) async throws -> Frame {
        guard let done = asked.done else { return asked }
        var frame = asked
        frame.done = nil
        let detail: EventDetail?
        do { detail = try await host.event(at: done, scope(frame), withProof: false) } catch {
            let unreadable: [StoreError.Code] = [.databaseUnavailable, .logWentBack]
            guard unreadable.map(\.rawValue).contains(Problem(error).code) else { throw error }
            frame.done = done
            frame.isDoneChecked = false
            return frame
        }
        let age = detail.map { frame.now.milliseconds(since: $0.event.receivedAt) } ?? .max
        let isDecision = detail?.event.attributes.kind == .command
        return isDecision && age <= ConsolePages.doneMilliseconds ? asked : frame
    }

    /// The entitlement of the grant that was just made, where no product of the catalogue has it.
    private func unlisted(_ reading: CustomerReading, _ frame: Frame) throws -> String? {
        let made = reading.commands.first { $0.position == frame.done }
        guard case .grant(_, let name, _)? = made?.command?.action else { return nil }
        let catalogue = try host.ledger(frame.state.environment).ledger.catalogue
        let isListed = catalogue.products.values.contains { $0.entitlements.contains(name) }
        // A product that the catalogue does not list grants its own id.
        let isOwn =
            catalogue.products[ProductId(name)] == nil
            && reading.chains.contains { $0.answer.productId?.rawValue == name }
        return isListed || isOwn || catalogue.products.isEmpty ? nil : name
    }

    /// How long a page says that a decision was made: 10 minutes.
    private static let doneMilliseconds: Int64 = 600_000

    /// Reads the answer after an act. While the projections have not reached the act, the problem
    /// says that it was done: otherwise its author would send it again.
    private func recorded<Value: Sendable>(
        _ frame: Frame, _ read: () async throws -> Value
    ) async throws -> Value {
        do { return try await read() } catch {
            let problem = Problem(error)
            guard problem.position != nil else { throw error }
            let detail: String
            if let done = frame.done {
                detail =
                    frame.isDoneChecked
                    ? "Recorded as event #\(done); do not send it again. The page loads itself once"
                        + " it includes the event."
                    : "It cannot be read now whether event #\(done) is the decision just made."
                        + " Before sending it again, wait for this page, which loads itself."
            } else if frame.result == .asked {
                detail =
                    "What Apple was asked for is not included yet. The page loads itself once it is."
            } else {
                throw error
            }
            throw Problem(
                problem.status, code: problem.code, detail: detail, retryAfter: problem.retryAfter)
        }
    }
}
