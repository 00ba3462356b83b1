internal import AppStore
internal import Console
import HTTPTypes
import Hummingbird
internal import Ledger
internal import LedgerStore
import NIOCore
internal import Queries
internal import Service
internal import Signing

/// Pages of the log: its list, and each event.
struct EventPages: Sendable {
    let host: LedgerHost
    let pages: ConsolePages
    let answers: ResponseMemoryBudget

    func add(to group: RouterGroup<WebContext>) {
        let path = "\(ConsoleRoutes.home)/events"
        group.get("\(path)") { request, context in try await list(request, context) }
        group.get("\(path)/:position") { request, context in
            let (frame, position) = try frame(request, context)
            let share = try answers.require(ResponseMemoryBudget.makingByteCount)
            defer { withExtendedLifetime(share) {} }
            guard let detail = try await host.event(at: position, pages.scope(frame)) else {
                throw Problem.noSuchEvent
            }
            let roots = host.roots.fingerprints.sorted { $0.hexadecimal < $1.hexadecimal }
            let changes = try await host.decided(
                by: detail.event, pages.scope(frame), limit: EventPage.decidedCount + 1)
            let page = EventPage(frame, detail, decided: changes, roots: roots)
            return pages.response(page.page)
        }
        group.get("\(path)/:position/raw") { request, context in
            let (frame, position) = try frame(request, context)
            let share = try answers.require(ResponseMemoryBudget.makingByteCount)
            defer { withExtendedLifetime(share) {} }
            let detail = try await host.event(
                at: position, pages.scope(frame), withProof: false)
            guard let evidence = detail?.evidence else { throw Problem.noSuchEvent }
            let name = "event-\(position).bin"
            return Response(
                status: .ok,
                headers: [
                    .contentType: "application/octet-stream",
                    .contentDisposition: "attachment; filename=\"\(name)\"",
                ], body: .init(byteBuffer: ByteBuffer(bytes: evidence)))
        }
    }

    private func frame(
        _ request: Request, _ context: WebContext
    ) throws -> (Frame, Int64) {
        let text = try PathReader.text("position", context)
        guard let position = Int64(plain: text) else { throw Problem.noSuchEvent }
        let frame = try QueryParameters.read(request, isForm: true) {
            try pages.frame(
                ["events", text], &$0, context, assets: [.behaviour, .verification])
        }
        try PeoplePages.require(frame)
        return (frame, position)
    }

    // MARK: The list

    private func list(_ request: Request, _ context: WebContext) async throws -> Response {
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
            return try pages.frame(["events"], &$0, context).present
        }
        try PeoplePages.require(frame)
        frame.kept = filters
        frame.place = [("before", before.map(String.init)), ("live", isLive ? nil : "false")]
        let page = try await host.eventPage(
            pages.scope(frame), filter, from: .before(before), limit: Frame.rowCount)
        return pages.response(
            EventsPage(
                frame, page.events, next: page.next, filters: filters, isLive: isLive
            ).page)
    }
}
