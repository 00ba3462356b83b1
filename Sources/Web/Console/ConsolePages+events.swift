internal import AppStore
internal import Console
import Hummingbird
internal import Ledger
internal import LedgerStore
internal import Proofs
internal import Queries
internal import Service
internal import Signing

/// Pages of the log: its list, and each event.
extension ConsolePages {
    func addEvents(to group: RouterGroup<WebContext>) {
        let path = "\(ConsoleRoutes.home)/events"
        group.get("\(path)", use: events)
        group.get("\(path)/:position") { request, context in
            let (frame, position) = try eventFrame(request, context)
            let share = try answers.require(ResponseMemoryBudget.makingByteCount)
            defer { withExtendedLifetime(share) {} }
            guard let detail = try await host.event(at: position, scope(frame)) else {
                throw Problem.noSuchEvent
            }
            let roots = host.roots.fingerprints.sorted { $0.hexadecimal < $1.hexadecimal }
            let changes = try await host.decided(
                by: detail.event, scope(frame), limit: EventPage.decidedCount + 1)
            let page = EventPage(frame, detail, decided: changes, roots: roots)
            return response(page.page)
        }
        group.get("\(path)/:position/raw") { request, context in
            let (frame, position) = try eventFrame(request, context)
            let share = try answers.require(ResponseMemoryBudget.makingByteCount)
            defer { withExtendedLifetime(share) {} }
            let event = try await host.event(at: position, scope(frame), withProof: false)
            guard let detail = event else { throw Problem.noSuchEvent }
            if let damage = detail.damage { throw damage }
            guard let evidence = detail.evidence else { throw ProofError.erased }
            return Response(
                evidence, type: "application/octet-stream", file: "event-\(position).bin")
        }
    }

    private func eventFrame(
        _ request: Request, _ context: WebContext
    ) throws -> (Frame, Int64) {
        let text = try PathReader.text("position", context)
        guard let position = Int64(plain: text) else { throw Problem.noSuchEvent }
        var frame = try self.frame(["events", text], request, context)
        frame.assets.append(.verification)
        try frame.requirePeople()
        return (frame, position)
    }

    // MARK: The list

    private func events(_ request: Request, _ context: WebContext) async throws -> Response {
        var filter = EventFilter()
        var before: Int64?
        var filters: [(String, String?)] = []
        var isLive = true
        var frame = try QueryParameters.read(request, isForm: true) {
            before = try $0.position("before")
            isLive = $0.text("live") != "false" && before == nil
            for name in ["types", "receivedFrom", "receivedTo"] {
                filters.append((name, $0.text(name)))
            }
            filter.types = Set(QueryParameters.list($0.text("types")))
            filter.receivedFrom = try $0.time("receivedFrom")
            filter.receivedTo = try $0.time("receivedTo")
            return try self.frame(["events"], &$0, context).present
        }
        try frame.requirePeople()
        frame.kept = filters
        frame.place = [("before", before.map(String.init)), ("live", isLive ? nil : "false")]
        let page = try await host.eventPage(
            scope(frame), filter, from: .before(before), limit: Frame.rowCount)
        return response(EventsPage(frame, page.events, next: page.next, isLive: isLive).page)
    }
}
