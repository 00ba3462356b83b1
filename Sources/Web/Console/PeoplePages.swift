internal import AppStore
internal import Console
import Hummingbird
internal import Ledger
internal import LedgerStore
internal import Projection
internal import Queries
internal import Service

/// Pages about customers, subscriptions and events.
struct PeoplePages: Sendable {
    let host: LedgerHost
    let pages: ConsolePages

    func add(to group: RouterGroup<WebContext>) {
        group.get("\(ConsoleRoutes.home)/find") { request, context in
            try await find(request, context)
        }
        group.get("\(ConsoleRoutes.home)/customers/:id") { request, context in
            let id = try PathReader.text("id", context)
            let (asked, before) = try await frame(["customers", id], request, context)
            let (answer, reading) = try await recorded(asked) {
                try await host.customer(CustomerId(stated: id), scope(asked))
            }
            var frame = asked
            frame.unlisted = try unlisted(reading, asked)
            let page = CustomerPage(frame, answer, reading, before: before)
            return pages.response(page.page, status: page.isUnknown ? .notFound : .ok)
        }
        group.get("\(ConsoleRoutes.home)/subscriptions/:id") { request, context in
            let id = try PathReader.text("id", context)
            let (frame, before) = try await frame(["subscriptions", id], request, context)
            do {
                let reading = try await recorded(frame) {
                    try await host.reading(id, scope(frame))
                }
                return pages.response(SubscriptionPage(frame, reading, before: before).page)
            } catch let missing as MissingAnswer {
                let found = FindPage(frame)
                let page =
                    missing.error == .noSuchSubscription(id)
                    ? found.nothing(for: id) : found.stateless(id, Problem(missing).detail)
                return pages.response(page, status: .notFound)
            } catch QueryError.ambiguousId(_, let chains) {
                return pages.response(FindPage(frame).page(several: chains, of: id))
            }
        }
    }

    /// Redirects to the page of exactly this id, or lists what begins with it.
    private func find(_ request: Request, _ context: WebContext) async throws -> Response {
        let frame = try QueryParameters.read(request, isForm: true) {
            let text = $0.text("q")
            var frame = try pages.frame(["find"], &$0, context)
            frame.query = text
            frame.kept = [("q", text)]
            return frame
        }
        try PeoplePages.require(frame)
        let page = FindPage(frame)
        guard let text = frame.query else { return pages.response(page.empty) }
        let answer = try await host.search(text, pages.scope(frame))
        if let address = page.address(answer) { return Response.seeOther(address) }
        return pages.response(
            page.page(answer), status: answer.matches.isEmpty ? .notFound : .ok)
    }

    /// The frame of a page about a person, with the place its timeline ends before.
    private func frame(
        _ path: [String], _ request: Request, _ context: WebContext
    ) async throws -> (Frame, TimelinePlace?) {
        let (frame, before) = try QueryParameters.read(request, isForm: true) {
            let before = try $0.cursor("before") { TimelinePlace(cursor: $0) }
            let done = try $0.position("done")
            let result: OperatorForm.Result? = try $0.choice("did")
            var frame = try pages.frame(path, &$0, context)
            frame.done = done
            frame.result = result
            frame.place = [("before", before?.cursor)]
            return (frame, before)
        }
        try PeoplePages.require(frame)
        return (try await checked(frame), before)
    }

    /// Removes a `done` that is not a recent decision, since a link could name any event.
    private func checked(_ frame: Frame) async throws -> Frame {
        guard let done = frame.done else { return frame }
        var frame = frame
        let detail = try await host.event(at: done, pages.scope(frame), withProof: false)
        let age = detail.map { frame.now.milliseconds(since: $0.event.receivedAt) } ?? .max
        if detail?.event.attributes.kind != .command || age > PeoplePages.doneMilliseconds {
            frame.done = nil
        }
        return frame
    }

    /// The entitlement of the grant that was just made, where no product of the catalogue has it.
    private func unlisted(_ reading: CustomerReading, _ frame: Frame) throws -> String? {
        let made = reading.commands.first { $0.position == frame.done }
        guard case .grant(_, let name, _)? = made?.command?.action else { return nil }
        let catalogue = try host.ledger(frame.state.environment).ledger.catalogue
        let isListed = catalogue.products.values.contains { $0.entitlements.contains(name) }
        // Without a catalogue every product grants its own id.
        return isListed || catalogue.products.isEmpty ? nil : name
    }

    /// How long a page says that a decision was made: 10 minutes.
    static let doneMilliseconds: Int64 = 600_000

    /// The answer after an act includes it.
    private func scope(_ frame: Frame) -> QueryScope {
        var scope = pages.scope(frame)
        scope.minPosition = frame.done
        return scope
    }

    /// Reads the answer after an act. While the projections have not reached the act, the problem
    /// says that it is in the log: otherwise its author would send it again.
    private func recorded<Value: Sendable>(
        _ frame: Frame, _ read: () async throws -> Value
    ) async throws -> Value {
        do { return try await read() } catch {
            let problem = Problem(error)
            guard let done = frame.done, problem.position != nil else { throw error }
            throw Problem(
                problem.status, code: problem.code,
                detail: "Recorded as event #\(done); do not send it again. The page loads itself"
                    + " once it includes the event.", retryAfter: problem.retryAfter)
        }
    }

    /// Throws `insufficientScope` for a viewer who may not see people.
    static func require(_ frame: Frame) throws(Problem) {
        guard frame.viewer.seesPeople else { throw .lacking("support") }
    }
}
